#pragma once

#include "mangrove/adjacency/detail/bs_tree_owner.hpp"

namespace mangrove {

/// A `bs_tree` whose leaves keep differences to their least key, in 16, 32 or 64 bits as they need: a quarter or half
/// of the memory where keys lie close together, and faster ranges; where they do not, a little more memory than a
/// `bs_tree`.
template <bs_tree_key Key, bs_tree_value Value = none, bs_writers Writers = bs_writers::one>
class cbs_tree : public detail::bs_tree_owner<Key, Value, Writers> {
 public:
  /// An empty tree. @throws usage_error for bad options, or SIMD instructions that the machine lacks
  explicit cbs_tree(const cpu_resources& res, const bs_tree_options& options = {})
      : detail::bs_tree_owner<Key, Value, Writers>(res, options, bs_leaves::compressed) {}
};

}  // namespace mangrove
