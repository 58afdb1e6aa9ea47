#pragma once

#include "mangrove/adjacency/detail/bs_tree_owner.hpp"

namespace mangrove {

/// An ordered map, or with `none` as values a set, in host memory: the BS-tree, a B+-tree whose nodes are searched with
/// SIMD instructions and whose leaves have gaps for what is inserted later. Movable, not copyable.
///
/// Every key is valid, but NaN. `docs/bs_tree.md` says how it works and what operations cost.
///
/// Thread-safety: operations that change nothing may run beside each other. With `bs_writers::many`, single operations
/// and batches may all run at once: each operation on one key takes effect at one moment; a range sees each of its
/// leaves at one moment. `bulk_load`, `clear`, `check` and moving must run alone.
///
/// @tparam Key an integer or floating-point type of 4 or 8 bytes
/// @tparam Value `none`, or a trivially copyable type of up to 8 bytes; kept in 4 or 8
template <bs_tree_key Key, bs_tree_value Value = none, bs_writers Writers = bs_writers::one>
class bs_tree : public detail::bs_tree_owner<Key, Value, Writers> {
 public:
  /// An empty tree. @throws usage_error for bad options, or SIMD instructions that the machine lacks
  explicit bs_tree(const cpu_resources& res, const bs_tree_options& options = {})
      : detail::bs_tree_owner<Key, Value, Writers>(res, options, options.leaves) {}
};

}  // namespace mangrove
