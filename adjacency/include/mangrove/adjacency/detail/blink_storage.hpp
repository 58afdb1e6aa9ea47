#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "mangrove/adjacency/blink_options.hpp"
#include "mangrove/adjacency/detail/blink_arena.hpp"
#include "mangrove/adjacency/detail/blink_bins.hpp"
#include "mangrove/adjacency/detail/blink_claims.hpp"
#include "mangrove/adjacency/detail/blink_root.hpp"
#include "mangrove/adjacency/detail/blink_view.hpp"
#include "mangrove/adjacency/detail/ordered_types.hpp"
#include "mangrove/adjacency/detail/side_slot.hpp"
#include "mangrove/core/buffer.hpp"
#include "mangrove/core/mirrored.hpp"

namespace mangrove::detail {

/// What a batch comes to, counted by kernels.
struct blink_tally {
  std::uint32_t fresh;    ///< keys that are not in the tree yet
  std::uint32_t extra;    ///< leaves more than before
  std::uint32_t kept;     ///< leaves that still hold keys
  std::uint32_t refused;  ///< not 0 when there was a NaN, or an array was not sorted
  std::uint32_t repeats;  ///< not 0 when neighbours were equal
  std::uint32_t unused;
  std::uint64_t keys;  ///< keys erased, or held
};

template <backend B, class Key>
class sorted_batch;
template <class Key>
struct dealt_batch;
enum class dealt_leaves;

/// What `blink_tree` is made of: a tree whose keys are bits ordered as unsigned integers and whose values are bits of a
/// width known at run time. Arrays are in the backend's memory. Instantiated in the libraries for keys of 4 and 8
/// bytes.
template <backend B, class Key>
class blink_storage {
 public:
  using view_type = blink_view<Key>;

  /// @param value_bytes 0, 4 or 8
  blink_storage(const resources<B>& res, const blink_options& options, key_order order, std::uint32_t value_bytes);

  void bulk_build(const resources<B>& res, const void* keys, const void* values, std::size_t count,
                  key_sequence sequence);
  std::size_t insert(const resources<B>& res, const void* keys, const void* values, std::size_t count,
                     on_existing existing, std::uint8_t* inserted);
  std::size_t erase(const resources<B>& res, const void* keys, std::size_t count, std::uint8_t* erased);

  void find(const resources<B>& res, const void* keys, std::size_t count, void* values, std::uint8_t* found) const;
  void count(const resources<B>& res, const key_ranges& ranges, std::uint64_t* counts) const;
  std::uint64_t range(const resources<B>& res, const key_ranges& ranges, std::uint64_t* offsets, void* keys,
                      void* values, std::uint64_t capacity) const;
  void range_up_to(const resources<B>& res, const key_ranges& ranges, std::uint32_t limit, std::uint32_t* counts,
                   void* keys, void* values) const;
  void neighbor(const resources<B>& res, const void* keys, std::size_t count, neighbor_side side, void* neighbors,
                void* values, std::uint8_t* found) const;
  std::size_t retrieve_all(const resources<B>& res, void* keys, void* values) const;

  void clear(const resources<B>& res);
  void reserve(const resources<B>& res, std::size_t keys);

  /// Lets tiles change the tree: memory for `inserts` of them is there. @return where they start from
  blink_root<Key>* open(const resources<B>& res, std::size_t inserts);
  void settle(const resources<B>& res);

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::size_t leaves() const noexcept { return leaves_; }
  [[nodiscard]] std::size_t bytes() const noexcept;
  [[nodiscard]] std::string check(const resources<B>& res) const;

  /// What bodies work on until the next change. @throws usage_error when tiles may have changed the tree
  [[nodiscard]] view_type view() const;
  [[nodiscard]] blink_nodes<Key> nodes() const noexcept { return arena_.nodes(); }

 private:
  struct insert_plan;
  struct claimed_input;
  struct crowd_memory;

  [[nodiscard]] view_type raw_view() const;
  [[nodiscard]] std::uint64_t keys_per_leaf() const;
  [[nodiscard]] static std::size_t inner_nodes_for(std::size_t leaves);
  void require_rest() const;
  void become_empty(const resources<B>& res, buffer<B, node_index> order);
  void build_index(const resources<B>& res, buffer<B, node_index> order, std::uint32_t leaves);
  void become_indexed(buffer<B, node_index> order, std::uint32_t leaves);
  template <class Source>
  void build_from(const resources<B>& res, const Source& source, std::size_t count);
  std::optional<std::size_t> insert_claimed(const resources<B>& res, const void* keys, const void* values,
                                            std::size_t count, on_existing existing, std::uint8_t* inserted);
  void claim_leaves(const resources<B>& res, const claimed_input& input);
  void plan_crowd(const resources<B>& res, const claimed_input& input, crowd_memory& crowd);
  void insert_crowded(const resources<B>& res, const claimed_input& input, crowd_memory& crowd,
                      const claim_tally& seen);
  std::optional<std::size_t> insert_dealt(const resources<B>& res, const void* keys, const void* values,
                                          std::size_t count, on_existing existing, std::uint8_t* inserted);
  void deal_keys_out(const resources<B>& res, const bin_arrays<Key>& bins, const void* keys, std::size_t count,
                     std::uint8_t* noted);
  void deal_out(const resources<B>& res, const dealt_batch<Key>& batch, const void* keys, std::size_t count);
  void apply_dealt(const resources<B>& res, const dealt_batch<Key>& batch, std::size_t count, dealt_leaves which,
                   node_index* order);
  void sum_shifts(const resources<B>& res, const bin_arrays<Key>& bins);
  std::size_t insert_sorted(const resources<B>& res, const void* keys, const void* values, std::size_t count,
                            on_existing existing, std::uint8_t* inserted);
  void locate_new(const resources<B>& res, const sorted_batch<B, Key>& batch, on_existing existing,
                  std::uint8_t* inserted, insert_plan& plan);
  void secure(const resources<B>& res, insert_plan& plan);
  void commit(const resources<B>& res, const sorted_batch<B, Key>& batch, const void* values, on_existing existing,
              insert_plan& plan);
  std::optional<std::size_t> erase_dealt(const resources<B>& res, const void* keys, std::size_t count,
                                         std::uint8_t* erased);
  std::size_t erase_marked(const resources<B>& res, const void* keys, std::size_t count, std::uint8_t* erased);
  void mark_erased(const resources<B>& res, const void* keys, std::size_t count, std::uint32_t* marks,
                   std::uint8_t* erased);
  [[nodiscard]] buffer<B, node_index> leaves_below(const resources<B>& res, std::uint64_t top) const;
  void drop_leaves(const resources<B>& res, const std::uint32_t* kept_before, std::uint32_t kept,
                   buffer<B, node_index> order);
  void repack_if_sparse(const resources<B>& res);

  blink_options options_;
  key_codec<Key> codec_;
  blink_arena<B, Key> arena_;
  buffer<B, node_index> order_;  ///< leaves from left to right, in its first `leaves_` elements
  std::uint32_t leaves_ = 0;
  std::uint32_t height_ = 0;
  std::uint32_t first_[view_type::max_height + 1] = {};  ///< the first inner node of each level
  std::uint64_t size_ = 0;
  const blink_root<Key>* open_ = nullptr;  ///< where tiles start from, when they may have changed the tree
  mirrored<B, blink_tally> tally_;
  mirrored<B, blink_root<Key>> root_;
  mirrored<B, claim_tally> claimed_;
  claim_memory<B, Key> claims_;
  mirrored<B, dealt_tally> dealt_;
  bin_memory<B, Key> bins_;
};

}  // namespace mangrove::detail
