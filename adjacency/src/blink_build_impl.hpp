#pragma once

#include "blink_build_bodies.hpp"
#include "blink_storage_impl.hpp"

namespace mangrove::detail {

template <backend B, class Key>
void blink_storage<B, Key>::bulk_build(const resources<B>& res, const void* keys, const void* values, std::size_t count,
                                       key_sequence sequence) {
  check_batch_size(count);
  if (count == 0) return clear(res);
  if (sequence == key_sequence::sorted) {
    tally_.clear(res);
    const inspect_sorted<Key> inspect{keys, count, codec_, tally_.data()};
    for_each_tile<sweep_lanes>(res, (count + inspect.chunk - 1) / inspect.chunk, inspect);
    const blink_tally seen = tally_.fetch(res);
    if (seen.refused != 0) {
      throw usage_error(
          "a bulk build was given keys as sorted that are not ascending, or NaN: pass key_sequence::unsorted");
    }
    if (seen.repeats == 0) return build_from(res, given_keys<Key>{keys, values, codec_}, count);
  }
  const sorted_batch<B, Key> batch(res, keys, count, codec_, tally_);
  buffer<B, std::uint32_t> marks(res, count);
  buffer<B, std::uint32_t> before(res, count + 1);
  buffer<B, Key> picked(res, count);
  buffer<B, std::uint32_t> sources(res, count);
  for_each_tile<1>(res, count, mark_last_of_equals<Key>{batch.view(), marks.data()});
  exclusive_scan(res, marks.data(), before.data(), count);
  for_each_tile<1>(res, count, pick_keys<Key>{batch.view(), before.data(), picked.data(), sources.data()});
  const std::uint32_t distinct = read_back(res, before.data() + count);
  build_from(res, picked_keys<Key>{picked.data(), sources.data(), values}, distinct);
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
