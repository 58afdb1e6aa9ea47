#pragma once

#include "ordered_build_bodies.hpp"

namespace mangrove::detail {

/// Whether `count` keys ascend and are distinct, so that they need no sorting.
/// @param tally something with words `refused` and `repeats` @throws usage_error where they do not ascend, or for NaN
template <backend B, class Key, class Tally>
bool are_distinct(const resources<B>& res, const void* keys, std::size_t count, key_codec<Key> codec,
                  mirrored<B, Tally>& tally) {
  tally.clear(res);
  const inspect_sorted<Key> inspect{keys, count, codec, &tally.data()->refused, &tally.data()->repeats};
  for_each_tile<32>(res, (count + inspect.chunk - 1) / inspect.chunk, inspect);
  const Tally seen = tally.fetch(res);
  if (seen.refused != 0) {
    throw usage_error(
        "a bulk build was given keys as sorted that are not ascending, or NaN: pass key_sequence::unsorted");
  }
  return seen.repeats == 0;
}

/// Calls `build(source, distinct)` with the keys in order and without repeats; of equal ones the last stays.
/// @param build takes `given_keys` or `picked_keys`, and how many there are
/// @throws usage_error for a NaN, and for keys said to be sorted that are not; memory_error
template <backend B, class Key, class Tally, class Build>
void build_distinct(const resources<B>& res, const void* keys, const void* values, std::size_t count,
                    key_codec<Key> codec, key_sequence sequence, mirrored<B, Tally>& tally, const Build& build) {
  if (sequence == key_sequence::sorted && are_distinct(res, keys, count, codec, tally)) {
    return build(given_keys<Key>{keys, values, codec}, count);
  }
  const sorted_batch<B, Key> batch(res, keys, count, codec, tally);
  buffer<B, std::uint32_t> marks(res, count);
  buffer<B, std::uint32_t> before(res, count + 1);
  buffer<B, Key> picked(res, count);
  buffer<B, std::uint32_t> sources(res, count);
  for_each_tile<1>(res, count, mark_last_of_equals<Key>{batch.view(), marks.data()});
  exclusive_scan(res, marks.data(), before.data(), count);
  for_each_tile<1>(res, count, pick_keys<Key>{batch.view(), before.data(), picked.data(), sources.data()});
  const std::size_t distinct = read_back(res, before.data() + count);
  build(picked_keys<Key>{picked.data(), sources.data(), values}, distinct);
}

}  // namespace mangrove::detail
