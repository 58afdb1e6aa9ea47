#pragma once

#include "blink_build_bodies.hpp"
#include "blink_storage_impl.hpp"
#include "ordered_build_impl.hpp"

namespace mangrove::detail {

template <backend B, class Key>
void blink_storage<B, Key>::bulk_build(const resources<B>& res, const void* keys, const void* values, std::size_t count,
                                       key_sequence sequence) {
  check_batch_size(count);
  if (count == 0) return clear(res);
  const auto build = [this, &res](const auto& source, std::size_t distinct) { build_from(res, source, distinct); };
  build_distinct(res, keys, values, count, codec_, sequence, tally_, build);
}

/// Replaces everything by `count` distinct ascending keys, at least one.
template <backend B, class Key>
template <class Source>
void blink_storage<B, Key>::build_from(const resources<B>& res, const Source& source, std::size_t count) {
  const std::size_t leaves = (count + keys_per_leaf() - 1) / keys_per_leaf();
  arena_.secure_leaf_numbers(leaves);
  arena_.secure_inner(inner_nodes_for(leaves));
  buffer<B, node_index> order(res, leaves);
  arena_.restart(static_cast<node_index>(leaves));
  for_each_tile<leaf_lanes>(res, leaves, build_leaf<Key, Source>{arena_.nodes(), source, count, leaves, order.data()});
  build_index(res, std::move(order), static_cast<std::uint32_t>(leaves));
  size_ = count;
  open_ = nullptr;
  res.synchronize();
}

}  // namespace mangrove::detail
