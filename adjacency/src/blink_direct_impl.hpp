#pragma once

#include "blink_direct_bodies.hpp"
#include "blink_storage_impl.hpp"

namespace mangrove::detail {

/// Lanes that insert one key.
inline constexpr int direct_lanes = 4;
/// Batches that are larger, or have more keys than half of the leaves, are sorted.
inline constexpr std::size_t most_direct = std::size_t{1} << 18;

template <backend B, class Key>
bool blink_storage<B, Key>::is_direct(std::size_t count) const {
  return count <= most_direct && count * 2 <= leaves_;
}

template <backend B, class Key>
std::size_t blink_storage<B, Key>::insert_direct(const resources<B>& res, const void* keys, const void* values,
                                                 std::size_t count, std::uint8_t* inserted) {
  buffer<B, std::uint32_t> ranks(res, count);
  buffer<B, node_index> leaves(res, count);
  buffer<B, std::uint32_t> claimed(res, leaves_);
  buffer<B, std::uint32_t> crowded(res, count);
  const direct_claims claims{ranks.data(), leaves.data(), claimed.data()};
  fill_bytes(res, claimed.data(), 0, claimed.size());
  tally_.clear(res);
  for_each_tile<search_lanes>(res, count, claim_room<Key>{raw_view(), keys, claims, tally_.data()});
  for_each_tile<1>(res, count, list_crowded<Key>{arena_.nodes(), claims, crowded.data(), tally_.data()});
  using insert_body = insert_directly<Key>;
  insert_body body{raw_view(), keys, values, leaves.data(), inserted, tally_.data(), insert_body::crowd::unknown};
  for_each_tile<direct_lanes>(res, count, body);
  const blink_tally seen = tally_.fetch(res);
  if (seen.refused != 0) throw_nan();
  size_ += seen.fresh;
  if (seen.extra == 0) return seen.fresh;
  const std::size_t fresh = insert_crowded(res, keys, values, crowded.data(), seen.extra, inserted);
  // From here on nothing can fail. The leaves that get keys now are none of those that have changed.
  tally_.clear(res);
  body.tree = raw_view();
  body.others = insert_body::crowd::inserted;
  for_each_tile<direct_lanes>(res, count, body);
  const std::uint32_t more = tally_.fetch(res).fresh;
  size_ += more;
  return fresh + more;
}

/// Inserts those keys of a batch that are listed, by sorting them.
template <backend B, class Key>
std::size_t blink_storage<B, Key>::insert_crowded(const resources<B>& res, const void* keys, const void* values,
                                                  const std::uint32_t* crowded, std::size_t count,
                                                  std::uint8_t* inserted) {
  const std::uint32_t value_bytes = arena_.nodes().value_bytes;
  buffer<B, Key> some_keys(res, count);
  buffer<B, std::byte> some_values(res, count * value_bytes);
  buffer<B, std::uint8_t> outcome(res, count);
  for_each_tile<1>(res, count,
                   gather_crowded<Key>{keys, values, crowded, some_keys.data(), some_values.data(), value_bytes});
  const std::size_t fresh =
      insert_sorted(res, some_keys.data(), some_values.data(), count, on_existing::keep, outcome.data());
  if (inserted != nullptr) for_each_tile<1>(res, count, scatter_outcome{crowded, outcome.data(), inserted});
  return fresh;
}

}  // namespace mangrove::detail
