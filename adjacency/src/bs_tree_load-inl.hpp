// Included once per instruction set (see hwy/foreach_target.h).
#if defined(MANGROVE_BS_TREE_LOAD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MANGROVE_BS_TREE_LOAD_INL
#undef MANGROVE_BS_TREE_LOAD_INL
#else
#define MANGROVE_BS_TREE_LOAD_INL
#endif

#include "bs_tree_impl-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mangrove::detail::HWY_NAMESPACE {

/// Nodes of one level while the tree is being built, in order, each with the greatest key that belongs to it.
template <class Key, class Bits, bool Compressed, bool Shared>
struct bs_tree_impl<Key, Bits, Compressed, Shared>::loaded_level {
  loaded_level(const cpu_resources& res, std::size_t most) : nodes(res, most), highs(res, most) {}

  void add(bs_node node, Key high) {
    nodes.data()[count] = node;
    highs.data()[count++] = high;
  }

  buffer<cpu, bs_node> nodes;
  buffer<cpu, Key> highs;
  std::size_t count = 0;
  int levels = 0;
};

template <class Key, class Bits, bool Compressed, bool Shared>
bs_tree_impl<Key, Bits, Compressed, Shared>::bs_tree_impl(const cpu_resources& res, std::size_t cache_bytes)
    : resources_(res),
      cache_bytes_(cache_bytes),
      leaves_([&]<std::size_t... Form>(std::index_sequence<Form...>) {
        return std::array<pool, sizeof...(Form)>{pool(res, leaf_bytes(Form), side_bytes)...};
      }(std::make_index_sequence<static_cast<std::size_t>(forms)>())),
      inners_(res, sizeof(inner), 0, sizeof(inner) / bs_inner_unit) {
  root_ = root_word(take_leaf(0), 0);
}

/// How many of the next keys go into one leaf, and its form: that which takes the most keys, the narrowest of equals. A
/// leaf of successive keys gets no gaps: no key can come between them.
template <class Key, class Bits, bool Compressed, bool Shared>
int bs_tree_impl<Key, Bits, Compressed, Shared>::leaf_piece(const Key* keys, std::size_t left, double fill,
                                                            int& form) const {
  int most = 0;
  for (int candidate = forms - 1; candidate >= 0; --candidate) {
    const int slots = static_cast<int>(bs_slots<Key>) << candidate;
    const auto available = static_cast<int>(std::min<std::size_t>(left, static_cast<std::size_t>(slots)));
    const int wanted = std::min(available, std::max(1, static_cast<int>(fill * slots + 0.5)));
    const bool dense = available == slots && keys[slots - 1] - keys[0] == static_cast<Key>(slots - 1);
    int fitting = dense ? slots : wanted;
    const Key span = candidate == 2   ? std::numeric_limits<std::uint16_t>::max()
                     : candidate == 1 ? static_cast<Key>(std::numeric_limits<bs_form<Key, 1>>::max())
                                      : greatest;
    while (keys[fitting - 1] - keys[0] > span) --fitting;
    if (fitting > most) {
      most = fitting;
      form = candidate;
    }
  }
  return most;
}

template <class Key, class Bits, bool Compressed, bool Shared>
void bs_tree_impl<Key, Bits, Compressed, Shared>::load_leaves(const Key* keys, const void* values, std::size_t count,
                                                              double fill, loaded_level& level) {
  const auto* const bytes = static_cast<const std::byte*>(values);
  for (std::size_t first = 0; first < count;) {
    int form = 0;
    const int piece = leaf_piece(keys + first, count - first, fill, form);
    const std::size_t next = first + static_cast<std::size_t>(piece);
    const bs_node node = take_leaf(form);
    with_leaf(node, [&](const auto& leaf) { leaf.write(keys + first, bytes + first * value_bytes, piece); });
    level.add(node, next == count ? greatest : static_cast<Key>(keys[next] - 1));
    first = next;
  }
}

/// Levels above `nodes` nodes whose parents get `children` each.
inline int bs_levels_above(std::size_t nodes, std::size_t children) {
  int levels = 0;
  for (; nodes > 1; nodes = (nodes + children - 1) / children) ++levels;
  return levels;
}

/// How many children the nodes above a level get. A tenth of their places stays free, except above the lowest inner
/// nodes where fewer free ones save a level: each costs every search as much as the others, and those nodes are few.
template <class Key, class Bits, bool Compressed, bool Shared>
std::size_t bs_tree_impl<Key, Bits, Compressed, Shared>::children_above(const loaded_level& level) const {
  constexpr std::size_t all = inner::separators + 1;
  std::size_t children = all * 9 / 10;
  if (level.levels == 0) return children;
  const int fewest = bs_levels_above(level.count, all);
  while (bs_levels_above(level.count, children) != fewest) ++children;
  return children;
}

/// Replaces a level by the one above.
template <class Key, class Bits, bool Compressed, bool Shared>
void bs_tree_impl<Key, Bits, Compressed, Shared>::load_inner(loaded_level& level) {
  const std::size_t children = children_above(level);
  const std::size_t nodes = (level.count + children - 1) / children;
  const bool parents_of_leaves = level.levels == 0;
  const bs_node first_child = level.nodes.data()[0];
  for (std::size_t i = 0; i < nodes; ++i) {
    const std::size_t first = level.count * i / nodes;
    const std::size_t last = level.count * (i + 1) / nodes;
    const bs_node node = inners_.take();
    if (parents_of_leaves && i == 0) {
      loaded_ = loaded_places::of(node, nodes, first_child, level.count, cache_bytes_);
    }
    fill_inner(inner_at(node), level.highs.data() + first, level.nodes.data() + first,
               static_cast<int>(last - first) - 1);
    level.nodes.data()[i] = node;
    level.highs.data()[i] = level.highs.data()[last - 1];
  }
  level.count = nodes;
  ++level.levels;
}

template <class Key, class Bits, bool Compressed, bool Shared>
void bs_tree_impl<Key, Bits, Compressed, Shared>::load(const Key* keys, const void* values, std::size_t count,
                                                       double fill) {
  if (count == 0) return;
  loaded_level level(resources_, count / 4 + 64);  // a leaf gets at least half of its 16 slots, but for the last
  load_leaves(keys, values, count, fill, level);
  while (level.count > 1) load_inner(level);
  give_leaf(root_node(root_));
  set_root(level.nodes.data()[0], level.levels);
  size_.add(static_cast<std::ptrdiff_t>(count));
}

template <class Key, class Bits, bool Compressed, bool Shared>
std::size_t bs_tree_impl<Key, Bits, Compressed, Shared>::bytes() const {
  std::size_t sum = inners_.bytes();
  for (const pool& each : leaves_) sum += each.bytes();
  return sum;
}

template <class Key, class Bits, bool Compressed, bool Shared>
bs_tree_statistics bs_tree_impl<Key, Bits, Compressed, Shared>::statistics() const {
  bs_tree_statistics result;
  result.levels = static_cast<std::size_t>(root_levels(root()));
  result.inner_nodes = inners_.in_use();
  result.free_nodes = inners_.free_count();
  result.node_bytes = inners_.bytes_in_use();
  for (std::size_t form = 0; form < leaves_.size(); ++form) {
    const pool& each = leaves_[form];
    const std::size_t key_bits = 8 * sizeof(Key) >> form;
    result.leaves += each.in_use();
    result.leaves_16 += key_bits == 16 ? each.in_use() : 0;
    result.leaves_32 += key_bits == 32 ? each.in_use() : 0;
    result.free_nodes += each.free_count();
    result.node_bytes += each.bytes_in_use();
  }
  return result;
}

}  // namespace mangrove::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
