// Included once per instruction set (see hwy/foreach_target.h).
#if defined(MANGROVE_BS_TREE_IMPL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MANGROVE_BS_TREE_IMPL_INL
#undef MANGROVE_BS_TREE_IMPL_INL
#else
#define MANGROVE_BS_TREE_IMPL_INL
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <utility>
#include <vector>

#include "bs_tree_counter.hpp"
#include "bs_tree_leaf-inl.hpp"
#include "bs_tree_pool.hpp"
#include "mangrove/adjacency/detail/backoff.hpp"
#include "mangrove/adjacency/detail/bs_tree_engine.hpp"
#include "mangrove/core/buffer.hpp"

HWY_BEFORE_NAMESPACE();
namespace mangrove::detail::HWY_NAMESPACE {

/// Where a key belongs: a leaf, its parent, and the keys that lead there.
template <class Key>
struct bs_place {
  bs_node leaf;
  std::uint32_t version;
  bs_node parent;  ///< bs_no_node when the leaf is the root
  std::uint32_t parent_version;
  int slot;  ///< the leaf's number among the parent's children
  Key high;  ///< greatest key that belongs to the leaf
  Key low;   ///< greatest key that belongs to leaves further left, if `bounded`
  bool bounded;
  Key parent_high;  ///< greatest key that belongs to the parent
};

/// What is found on the way to a leaf, and asked for. By `guessing`, the leaf that is likely is asked for while its
/// parent is on its way, if there are more parents than caches hold. Changes gain by it. Look-ups are so short that
/// more of them are under way, and lose more by its instructions.
enum class way_down {
  plain,
  with_bounds,  ///< finds the keys that lead there, too
  guessing
};

template <class Key, class Bits, bool Compressed, bool Shared>
class bs_tree_impl final : public bs_tree_engine<Key, Bits> {
 public:
  bs_tree_impl(const cpu_resources& res, std::size_t cache_bytes);

  bool insert(Key key, Bits value, bs_on_existing existing) override;
  bool erase(Key key) override;
  bool find(Key key, Bits* value) const override;
  bool successor(Key key, Key* found, Bits* value) const override;
  bool predecessor(Key key, Key* found, Bits* value) const override;
  std::size_t range(Key low, Key high, Key* keys, void* values, std::size_t room) const override;
  std::size_t count(Key low, Key high) const override;
  std::size_t insert_batch(const Key* keys, const void* values, std::size_t count, bs_on_existing existing,
                           std::uint8_t* inserted) override;
  std::size_t erase_batch(const Key* keys, std::size_t count, std::uint8_t* erased) override;
  void find_batch(const Key* keys, std::size_t count, void* values, std::uint8_t* found) const override;
  void load(const Key* keys, const void* values, std::size_t count, double fill) override;
  [[nodiscard]] std::size_t size() const override { return size_.value(); }
  [[nodiscard]] std::size_t bytes() const override;
  [[nodiscard]] bs_tree_statistics statistics() const override;
  [[nodiscard]] std::string check() const override;

 private:
  using inner = bs_inner<Key>;
  using side =
      std::conditional_t<Compressed, bs_compressed_side<Key>, std::conditional_t<Shared, bs_plain_side, bs_no_side>>;
  using place = bs_place<Key>;
  using lock = bs_version<Shared>;
  using held = bs_held<Shared>;
  using pool = bs_tree_pool<Shared>;
  template <class T>
  using view = leaf_view<Key, T, Bits, side, Shared>;
  static constexpr int forms = Compressed ? bs_forms<Key> : 1;
  static constexpr int widest_slots = bs_slots<bs_form<Key, forms - 1>>;
  static constexpr Key greatest = std::numeric_limits<Key>::max();
  static constexpr bool can_guess = !Compressed && !Shared;
  static constexpr std::size_t value_bytes = bs_value_bytes<Bits>;
  static constexpr std::size_t side_bytes = std::is_same_v<side, bs_no_side> ? 0 : sizeof(side);

  /// Whole lines.
  static constexpr std::size_t leaf_bytes(std::size_t form) {
    return (bs_block_bytes + (std::size_t{bs_slots<Key>} << form) * value_bytes + 63) / 64 * 64;
  }

  /// A leaf's content, or that and one more key.
  struct content {
    int count = 0;
    Key keys[widest_slots + 1];
    Bits values[widest_slots + 1];
  };
  struct path_step {
    bs_node node;
    std::uint32_t version;
    int slot;
  };
  /// Keys of a batch that are looked up together.
  ///
  /// A Zen 3 forgets about every line that is asked for while 24 are under way. So AVX2's look-ups, which are mostly
  /// that processor's, go in small groups at several places of the tree: that asks for lines evenly. Others go in one
  /// large group after the other.
  struct looked_up {
    static constexpr bool even = HWY_TARGET == HWY_AVX2;
    static constexpr int most = even ? 4 : bs_in_flight;
    static constexpr std::size_t lag = even ? 2 : 0;  ///< groups between one that is at a stage and one at the next
    static constexpr std::size_t groups = even ? 4 * lag : 1;  ///< under way

    const Key* keys;
    Bits* values;
    std::uint8_t* found;
    int count;
    int levels;  ///< inner levels that are still to come
    place places[most];
    int slots[most];

    HWY_INLINE void start(const Key* from, int how_many, Bits* to_values, std::uint8_t* to_found) {
      keys = from;
      values = to_values;
      found = to_found;
      count = how_many;
    }
  };
  /// How far a scan has come: to a lowest inner node.
  struct scan_place {
    const inner* parent;
    Key low;             ///< greatest key that belongs to parents further left; 0 without such
    Key high;            ///< greatest key that belongs to the parent
    const inner* above;  ///< the parent's parent; null when the parent is the root
    int slot;            ///< the parent's number among its children
    Key above_high;      ///< greatest key that belongs to `above`

    /// Whether `above` has another child, right of the parent.
    [[nodiscard]] HWY_INLINE bool has_right() const {
      return above != nullptr && slot < static_cast<int>(above->count);
    }
  };
  /// The next leaves of a scan, in order: those under up to two parents.
  struct scan_window {
    static constexpr int children = inner::separators + 1;

    bs_node leaves[2 * inner::slots];
    int end = 0;  ///< how many there are

    /// Adds the children of one more parent, up to the one numbered `last`.
    HWY_INLINE void add(const inner* parent, int last) {
      std::memcpy(leaves + end, parent->children, sizeof(parent->children));  // all of them: a few vectors
      end += last + 1;
    }
    /// Takes the first `count` away, the last parent's stay.
    HWY_INLINE void drop(int count) {
      std::memmove(leaves, leaves + count, children * sizeof(bs_node));
      end -= count;
    }
    /// Whether leaf `i` comes after the next one in memory, as those do that splits have made.
    [[nodiscard]] HWY_INLINE bool behind_next(int i) const { return i + 1 < end && leaves[i] > leaves[i + 1]; }
  };
  /// Where `load` has put the leaves of the parents that it has made. It takes both in order, so one tells the other
  /// before the parent is read: a guess, since nodes may have been freed before and leaves split afterwards.
  struct loaded_places {
    bs_node first_parent = bs_no_node;
    bs_node first_leaf = bs_no_node;
    bs_node units = 0;  ///< of `bs_inner_unit` that the parents take; 0 where nothing is to be guessed
    bool far = false;   ///< whether there are more parents than caches hold
    double leaves_a_unit = 0;
    double leaves_a_parent = 0;

    /// @param cached bytes of parents that a cache holds
    static loaded_places of(bs_node first_parent, std::size_t parents, bs_node first_leaf, std::size_t leaves,
                            std::size_t cached) {
      const auto units = static_cast<bs_node>(parents * (sizeof(inner) / bs_inner_unit));
      return {first_parent,
              first_leaf,
              units,
              parents * sizeof(inner) > cached,
              static_cast<double>(leaves) / static_cast<double>(units),
              static_cast<double>(leaves) / static_cast<double>(parents)};
    }
    [[nodiscard]] HWY_INLINE bool has(bs_node parent) const { return parent - first_parent < units; }

    /// The leaf below a loaded parent to which a key belongs that has `share` of the parent's keys below it.
    [[nodiscard]] HWY_INLINE bs_node leaf_at(bs_node parent, double share) const {
      const double before = static_cast<double>(std::uint64_t{parent - first_parent}) * leaves_a_unit;
      return first_leaf + static_cast<bs_node>(before + share * leaves_a_parent);
    }
    /// The share of keys in (low, high] that is below `key`, as far as they lie evenly: those between two separators
    /// do, mostly, whatever they do in the whole tree. From 0 to 1 also where `key` is not between them.
    [[nodiscard]] HWY_INLINE static double share_below(Key key, Key low, Key high) {
      using signed_key = std::make_signed_t<Key>;
      const auto below = static_cast<double>(static_cast<signed_key>(key - low));
      const auto all = static_cast<double>(static_cast<signed_key>(high - low));
      return std::min(1.0, std::max(0.0, below / (all + 1)));
    }
  };
  /// The leaves that a batch has split or freed since it looked up where its keys belong.
  class changed_leaves {
   public:
    void clear() { count_ = 0; }
    void add(bs_node leaf) { leaves_[static_cast<std::size_t>(count_++)] = leaf; }
    [[nodiscard]] bool contains(bs_node leaf) const {
      return std::find(leaves_.begin(), leaves_.begin() + count_, leaf) != leaves_.begin() + count_;
    }

   private:
    std::array<bs_node, bs_in_flight> leaves_;
    int count_ = 0;
  };

  // Nodes.
  HWY_INLINE inner* inner_at(std::uint64_t i) const {
    return reinterpret_cast<inner*>(inners_.nodes() + bs_inner_unit * i);
  }
  HWY_INLINE static int form_of(bs_node leaf) { return Compressed ? static_cast<int>(leaf >> bs_form_shift) : 0; }
  HWY_INLINE static bs_node index_of(bs_node leaf) { return Compressed ? leaf & bs_index_mask : leaf; }
  HWY_INLINE const pool& pool_of(bs_node leaf) const { return leaves_[static_cast<std::size_t>(form_of(leaf))]; }
  HWY_INLINE std::byte* leaf_at(bs_node leaf) const {
    return pool_of(leaf).nodes() + index_of(leaf) * leaf_bytes(static_cast<std::size_t>(form_of(leaf)));
  }
  HWY_INLINE side* side_of(bs_node leaf) const {
    return reinterpret_cast<side*>(pool_of(leaf).sides()) + (side_bytes == 0 ? 0 : index_of(leaf));
  }
  template <class T>
  HWY_INLINE view<T> view_of(bs_node leaf) const {
    constexpr auto form = static_cast<std::size_t>(std::countr_zero(sizeof(Key) / sizeof(T)));
    std::byte* const at = leaves_[form].nodes() + index_of(leaf) * leaf_bytes(form);
    return {reinterpret_cast<T*>(at), reinterpret_cast<Bits*>(at + bs_block_bytes), side_of(leaf)};
  }
  /// Calls `f(view)` with the leaf as what it is.
  template <class F>
  HWY_INLINE auto with_leaf(bs_node leaf, const F& f) const {
    if constexpr (forms == 3) {
      if (form_of(leaf) == 2) return f(view_of<bs_form<Key, 2>>(leaf));
    }
    if constexpr (forms >= 2) {
      if (form_of(leaf) == 1) return f(view_of<bs_form<Key, 1>>(leaf));
    }
    return f(view_of<Key>(leaf));
  }
  HWY_INLINE std::uint32_t* leaf_lock(bs_node leaf) const {
    if constexpr (Shared)
      return &side_of(leaf)->version;
    else
      return nullptr;
  }
  HWY_INLINE void prefetch_side(bs_node leaf) const {
    if constexpr (!std::is_same_v<side, bs_no_side>) __builtin_prefetch(side_of(leaf));
  }
  HWY_INLINE std::uint32_t* lock_of(std::uint64_t node, int levels) const {
    return levels != 0 ? &inner_at(node)->version : leaf_lock(static_cast<bs_node>(node));
  }
  bs_node take_leaf(int form) {
    return leaves_[static_cast<std::size_t>(form)].take() | static_cast<bs_node>(form) << bs_form_shift;
  }
  void give_leaf(bs_node leaf) noexcept { leaves_[static_cast<std::size_t>(form_of(leaf))].give(index_of(leaf)); }

  // The root: its node and, above it, how many inner levels there are.
  static std::uint64_t root_word(bs_node node, int levels) { return static_cast<std::uint64_t>(levels) << 32 | node; }
  static bs_node root_node(std::uint64_t word) { return static_cast<bs_node>(word); }
  static int root_levels(std::uint64_t word) { return static_cast<int>(word >> 32); }
  HWY_INLINE std::uint64_t root() const {
    if constexpr (Shared) return __atomic_load_n(&root_, __ATOMIC_ACQUIRE);
    return root_;
  }
  void set_root(bs_node node, int levels) {
    if constexpr (Shared)
      __atomic_store_n(&root_, root_word(node, levels), __ATOMIC_RELEASE);
    else
      root_ = root_word(node, levels);
  }

  /// Whether a tree with one writer is empty. Its root leaf then still holds the last keys that it had.
  HWY_INLINE bool holds_nothing() const { return !Shared && size_.value() == 0; }
  bool insert_first(Key key, Bits value);

  // Searching. A child's place has 64 bits where its address is wanted at once: that takes no conversion.
  HWY_INLINE static std::uint64_t child_place(const inner* node, Key key) {
    return separators_below<Shared, inner::slots, inner::separators>(node->keys, key - kept_less<Key>);
  }
  HWY_INLINE static int child_slot(const inner* node, Key key) { return static_cast<int>(child_place(node, key)); }
  HWY_INLINE static Key separator_at(const inner* node, int i) {
    return bs_get<Shared>(node->keys + i) + kept_less<Key>;
  }
  HWY_INLINE static void set_separator(inner* node, int i, Key separator) {
    bs_put<Shared>(node->keys + i, static_cast<Key>(separator - kept_less<Key>));
  }
  /// The greatest key that belongs to child `slot` of a node to which keys up to `high` belong.
  HWY_INLINE static Key child_high(const inner* node, int slot, Key high) {
    return slot < inner::separators ? std::min(high, separator_at(node, slot)) : high;
  }
  HWY_INLINE void prefetch_guessed_leaf(const inner* above, int slot, bs_node parent, Key key) const;
  HWY_INLINE bool enter_root(std::uint64_t& word, std::uint32_t& version) const;
  /// Moves on from a node of version `version` to its child. @return false when a writer was met
  HWY_INLINE bool step_down(const std::uint32_t*& at, std::uint32_t& version, bs_node child, int levels) const;
  template <way_down Way>
  HWY_INLINE bool descend(Key key, place& found) const;
  void descend_surely(Key key, place& found) const;
  HWY_INLINE void prefetch_values(bs_node node) const;
  HWY_INLINE void prefetch_values_near(bs_node leaf, Key key) const;
  template <bool Values>
  HWY_INLINE void prefetch_leaf(bs_node leaf) const;
  HWY_INLINE void prefetch_right(const scan_place& at, Key high) const;
  template <bool Values>
  HWY_INLINE void prefetch_guessed_leaves(const scan_place& at, Key low, Key high, std::size_t leaves) const;
  template <bool Values>
  HWY_INLINE void enter_scan(Key key, Key high, std::size_t leaves, scan_place& found) const;
  template <bool Values>
  HWY_INLINE void move_right(Key high, scan_place& at) const;
  template <bool Values, class Visit>
  HWY_INLINE void scan(Key low, Key high, std::size_t leaves, const Visit& visit) const;
  HWY_INLINE bool step_right(place& at) const;
  template <bool Values, class Read, class Keep>
  void scan_beside_writers(Key low, Key high, const Read& read, const Keep& keep) const;
  template <class Leaf>
  HWY_INLINE static std::uint64_t slots_between(const Leaf& leaf, Key low, Key high, bool edge);
  template <class Leaf>
  HWY_INLINE static std::size_t emit(const Leaf& leaf, Key low, Key high, bool edge, Key* keys, Bits* values,
                                     std::size_t room);
  HWY_INLINE std::size_t emit_leaf(bs_node leaf, Key low, Key high, bool edge, Key* keys, Bits* values,
                                   std::size_t room) const;
  bool snapshot(bs_node leaf, std::uint32_t version, content& to) const;

  // Changing.
  template <lines_touched Lines>
  HWY_INLINE put_result put(const place& at, Key key, Bits value, bs_on_existing existing);
  HWY_INLINE take_result take(const place& at, Key key);
  HWY_NOINLINE bool insert_slowly(Key key, Bits value, bs_on_existing existing);
  put_result split_on_the_way(Key key, Bits value, bs_on_existing existing);
  put_result rewrite_leaf(const place& at, std::uint64_t word, Key key, Bits value, bs_on_existing existing);
  void replace_leaf(const place& at, content& all, int split);
  static int split_point(const content& all, int form, int position, const place& at);
  static int form_for(const content& all, int first, int last);
  void write_leaf(bs_node leaf, const content& all, int first, int last);
  static void add_child(inner* node, int slot, Key separator, bs_node child);
  static void remove_child(inner* node, int slot);
  bool split_inner(bs_node node, std::uint32_t version, const path_step& parent, std::uint64_t word, bool rightmost);
  void fill_inner(inner* node, const Key* keys, const bs_node* children, int separators);
  void remove_empty_leaf(Key key);
  bool try_remove_empty_leaf(Key key);

  // Batches.
  HWY_INLINE void descend_group(const Key* keys, int count, place* places) const;
  HWY_INLINE int enter_group(int count, place* places) const;
  HWY_INLINE void step_group(const Key* keys, int count, int levels, place* places) const;
  HWY_INLINE void find_slots(looked_up& group) const;
  HWY_INLINE void find_values(looked_up& group) const;

  // Loading and checking.
  struct loaded_level;
  int leaf_piece(const Key* keys, std::size_t left, double fill, int& form) const;
  void load_leaves(const Key* keys, const void* values, std::size_t count, double fill, loaded_level& level);
  [[nodiscard]] std::size_t children_above(const loaded_level& level) const;
  void load_inner(loaded_level& level);
  std::string check_leaf(bs_node leaf, const Key* low, Key high, std::size_t& keys) const;
  std::string check_node(bs_node node, int levels, const Key* low, Key high, std::size_t& keys,
                         std::size_t& nodes) const;

  cpu_resources resources_;
  std::size_t cache_bytes_;
  std::array<pool, static_cast<std::size_t>(forms)> leaves_;
  pool inners_;
  std::uint64_t root_ = 0;
  loaded_places loaded_;
  bs_tree_counter<Shared> size_;
};

}  // namespace mangrove::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#include "bs_tree_batch-inl.hpp"
#include "bs_tree_change-inl.hpp"
#include "bs_tree_check-inl.hpp"
#include "bs_tree_load-inl.hpp"
#include "bs_tree_range-inl.hpp"
#include "bs_tree_remove-inl.hpp"
#include "bs_tree_search-inl.hpp"
#endif
