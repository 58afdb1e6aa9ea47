#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "mangrove/adjacency/detail/slab_hash_bucket_bodies.hpp"
#include "mangrove/adjacency/detail/slab_hash_key_bodies.hpp"
#include "mangrove/adjacency/detail/slab_hash_outcomes.hpp"
#include "mangrove/adjacency/detail/slab_hash_storage.hpp"
#include "mangrove/core/bulk.hpp"
#include "mangrove/core/error.hpp"
#include "mangrove/core/transfer.hpp"

/// @file
/// Definitions for the libraries' sources, which include `core/for_each.hpp` or `core/for_each.cuh` before it.

namespace mangrove::detail {

/// Lanes that change one key's bucket, and lanes that go over many slots or bytes.
inline constexpr int key_lanes = 8;
inline constexpr int scan_lanes = 32;

/// The caller's array, or one of its own when the caller wants none.
template <backend B>
class outcome_array {
 public:
  outcome_array(const resources<B>& res, std::uint8_t* given, std::size_t count)
      : own_(res, given == nullptr ? count : 0), data_(given == nullptr ? own_.data() : given) {}
  [[nodiscard]] std::uint8_t* data() const noexcept { return data_; }

 private:
  buffer<B, std::uint8_t> own_;
  std::uint8_t* data_;
};

template <backend B, class Key, class Bits>
slab_hash_storage<B, Key, Bits>::slab_hash_storage(const resources<B>& res, std::size_t expected_size,
                                                   const slab_hash_options& options)
    : options_(options) {
  if (!(0 < options.target_load && options.target_load <= options.max_load && options.max_load <= 1)) {
    throw usage_error("a slab hash table needs 0 < target_load <= max_load <= 1, not target_load " +
                      std::to_string(options.target_load) + " and max_load " + std::to_string(options.max_load));
  }
  buckets_ = buckets_for(expected_size, options.max_load);
  slabs_ = make_slabs(res, buckets_);
  counters_ = buffer<B, std::uint64_t>(res, 2);
  res.synchronize();
}

template <backend B, class Key, class Bits>
std::size_t slab_hash_storage<B, Key, Bits>::insert(const resources<B>& res, const Key* keys, const void* values,
                                                    std::size_t count, on_existing existing, std::uint8_t* inserted) {
  const outcome_array<B> outcomes(res, inserted, count);
  make_room(res, keys, count);
  for_each_tile<key_lanes>(res, count, insert_key<Key, Bits>{{table(), keys}, values, outcomes.data(), existing});
  const tally sum = sum_outcomes(res, outcomes.data(), count, counters_);
  tally_.keys += sum.keys;
  return sum.keys;
}

template <backend B, class Key, class Bits>
void slab_hash_storage<B, Key, Bits>::insert_absent(const resources<B>& res, const Key* keys, const void* values,
                                                    std::size_t count) {
  refresh(res);
  if (!fits(count)) rebuild(res, std::max(buckets_, buckets_for(tally_.keys + count, options_.target_load)));
  for_each_tile<search_lanes<B>>(res, count, insert_absent_key<Key, Bits>{{table(), keys}, values});
  tally_.keys += count;
  if (tally_.tombstones != 0) tally_ = count_slots(res, counters_);  // some may have been used again
  res.synchronize();
}

template <backend B, class Key, class Bits>
std::size_t slab_hash_storage<B, Key, Bits>::erase(const resources<B>& res, const Key* keys, std::size_t count,
                                                   std::uint8_t* erased) {
  const outcome_array<B> outcomes(res, erased, count);
  refresh(res);
  for_each_tile<key_lanes>(res, count, erase_key<Key, Bits>{{table(), keys}, outcomes.data()});
  const tally sum = sum_outcomes(res, outcomes.data(), count, counters_);
  tally_.keys -= sum.keys;
  tally_.tombstones += sum.tombstones;
  return sum.keys;
}

template <backend B, class Key, class Bits>
void slab_hash_storage<B, Key, Bits>::find(const resources<B>& res, const Key* keys, std::size_t count, void* values,
                                           std::uint8_t* found) const {
  for_each_tile<search_lanes<B>>(res, count, find_key<Key, Bits>{{table(), keys}, values, found});
  res.synchronize();
}

template <backend B, class Key, class Bits>
void slab_hash_storage<B, Key, Bits>::contains(const resources<B>& res, const Key* keys, std::size_t count,
                                               std::uint8_t* found) const {
  for_each_tile<search_lanes<B>>(res, count, contains_key<Key, Bits>{{table(), keys}, found});
  res.synchronize();
}

template <backend B, class Key, class Bits>
std::size_t slab_hash_storage<B, Key, Bits>::count(const resources<B>& res, const Key* keys, std::size_t count) const {
  buffer<B, std::uint8_t> found(res, count);
  buffer<B, std::uint64_t> counters(res, 2);
  contains(res, keys, count, found.data());
  return sum_outcomes(res, found.data(), count, counters).keys;
}

template <backend B, class Key, class Bits>
std::size_t slab_hash_storage<B, Key, Bits>::retrieve_all(const resources<B>& res, Key* keys, void* values) const {
  buffer<B, std::uint64_t> counter(res, 1);
  fill_bytes(res, counter.data(), 0, 1);
  for_each_tile<key_lanes>(res, buckets_, retrieve_bucket<Key, Bits>{table(), keys, values, counter.data()});
  return read_back(res, counter.data());
}

template <backend B, class Key, class Bits>
void slab_hash_storage<B, Key, Bits>::reserve(const resources<B>& res, std::size_t size) {
  refresh(res);
  if (size <= tally_.keys || fits(size - tally_.keys)) return;
  rebuild(res, std::max(buckets_, buckets_for(size, options_.max_load)));
}

template <backend B, class Key, class Bits>
void slab_hash_storage<B, Key, Bits>::rehash(const resources<B>& res, std::size_t buckets) {
  refresh(res);
  rebuild(res, std::max(buckets, buckets_for(tally_.keys, options_.max_load)));
}

template <backend B, class Key, class Bits>
void slab_hash_storage<B, Key, Bits>::flush(const resources<B>& res) {
  refresh(res);
  if (tally_.tombstones != 0) rebuild(res, buckets_);
}

template <backend B, class Key, class Bits>
void slab_hash_storage<B, Key, Bits>::clear(const resources<B>& res) {
  fill_bytes(res, slabs_.data(), 0xff, buckets_ * slab_bytes);
  fill_bytes(res, slabs_.data() + buckets_ * slab_bytes, 0, slab_bytes);
  res.synchronize();
  tally_ = {};
}

template <backend B, class Key, class Bits>
double slab_hash_storage<B, Key, Bits>::load_factor(const resources<B>& res) const {
  const tally now = current(res);
  const double load = static_cast<double>(now.keys + now.tombstones) / static_cast<double>(slots());
  return std::min(load, 1.0);  // keys that mark slots count, and take up none
}

template <backend B, class Key, class Bits>
std::size_t slab_hash_storage<B, Key, Bits>::buckets_for(std::size_t size, double load) {
  const double wanted = std::ceil(static_cast<double>(size) / (load * table_type::slots));
  if (wanted >= static_cast<double>(std::numeric_limits<std::uint32_t>::max())) {
    throw memory_error("a slab hash table cannot hold " + std::to_string(size) +
                       " keys: it has at most 2^32 - 2 buckets");
  }
  return std::max<std::size_t>(1, static_cast<std::size_t>(wanted));
}

template <backend B, class Key, class Bits>
std::size_t slab_hash_storage<B, Key, Bits>::limit() const {
  return static_cast<std::size_t>(options_.max_load * static_cast<double>(slots()));
}

template <backend B, class Key, class Bits>
auto slab_hash_storage<B, Key, Bits>::make_slabs(const resources<B>& res, std::size_t buckets) -> slab_buffer {
  slab_buffer slabs(res, (buckets + 1) * slab_bytes);
  fill_bytes(res, slabs.data(), 0xff, buckets * slab_bytes);
  fill_bytes(res, slabs.data() + buckets * slab_bytes, 0, slab_bytes);
  return slabs;
}

/// Moves all keys to a new table of `buckets` buckets. What can fail comes before the first change.
template <backend B, class Key, class Bits>
void slab_hash_storage<B, Key, Bits>::rebuild(const resources<B>& res, std::size_t buckets) {
  slab_buffer slabs = make_slabs(res, buckets);
  const slab_table<Key, Bits> to(slabs.data(), static_cast<std::uint32_t>(buckets));
  for_each_tile<key_lanes>(res, buckets_, move_bucket<Key, Bits>{table().table(), to});
  const std::byte* const side = slabs_.data() + buckets_ * slab_bytes;
  copy(res, slabs.data() + buckets * slab_bytes, side, slab_bytes);
  res.synchronize();
  slabs_ = std::move(slabs);
  buckets_ = buckets;
  tally_.tombstones = 0;
}

/// Makes sure that inserting these keys fills no more than the maximal load. Cost: nothing while even the worst case
/// fits; then a search for every key; then a sort of the keys, to grow by what is really new.
template <backend B, class Key, class Bits>
void slab_hash_storage<B, Key, Bits>::make_room(const resources<B>& res, const Key* keys, std::size_t count) {
  refresh(res);
  if (fits(count) || fits(count - this->count(res, keys, count))) return;
  const std::size_t more = count_new(res, keys, count);
  if (fits(more)) return;
  const std::size_t size = tally_.keys + more;
  rebuild(res, std::max(buckets_, buckets_for(size, options_.target_load)));
}

template <backend B, class Key, class Bits>
std::size_t slab_hash_storage<B, Key, Bits>::count_new(const resources<B>& res, const Key* keys,
                                                       std::size_t count) const {
  buffer<B, std::uint64_t> sorted(res, count);
  buffer<B, std::uint8_t> fresh(res, count);
  buffer<B, std::uint64_t> counters(res, 2);
  for_each_tile<1>(res, count, widen_key<Key>{keys, sorted.data()});
  sort(res, sorted.data(), count, 0, 8 * sizeof(Key));
  for_each_tile<search_lanes<B>>(res, count, mark_new_key<Key, Bits>{table(), sorted.data(), fresh.data()});
  return sum_outcomes(res, fresh.data(), count, counters).keys;
}

template <backend B, class Key, class Bits>
auto slab_hash_storage<B, Key, Bits>::current(const resources<B>& res) const -> tally {
  if (read_back(res, &table().side().changed) == 0) return tally_;
  buffer<B, std::uint64_t> counters(res, 2);
  return count_slots(res, counters);
}

template <backend B, class Key, class Bits>
void slab_hash_storage<B, Key, Bits>::refresh(const resources<B>& res) {
  std::uint32_t* const changed = &table().side().changed;
  if (read_back(res, changed) == 0) return;
  tally_ = count_slots(res, counters_);
  fill_bytes(res, changed, 0, 1);
}

template <backend B, class Key, class Bits>
auto slab_hash_storage<B, Key, Bits>::count_slots(const resources<B>& res, buffer<B, std::uint64_t>& counters) const
    -> tally {
  using body = count_slots_of_chunk<Key, Bits>;
  fill_bytes(res, counters.data(), 0, 2);
  for_each_tile<scan_lanes>(res, (buckets_ + body::chunk - 1) / body::chunk, body{table(), counters.data()});
  std::array<std::uint64_t, 2> sums{};
  copy(res, sums.data(), counters.data(), 2);
  res.synchronize();
  return {sums[0], sums[1]};
}

template <backend B, class Key, class Bits>
auto slab_hash_storage<B, Key, Bits>::sum_outcomes(const resources<B>& res, const std::uint8_t* outcomes,
                                                   std::size_t count, buffer<B, std::uint64_t>& counters) -> tally {
  using body = sum_outcomes_of_chunk;
  fill_bytes(res, counters.data(), 0, 2);
  for_each_tile<scan_lanes>(res, (count + body::chunk - 1) / body::chunk, body{outcomes, count, counters.data()});
  std::array<std::uint64_t, 2> sums{};
  copy(res, sums.data(), counters.data(), 2);
  res.synchronize();
  return {sums[0], sums[1]};
}

}  // namespace mangrove::detail
