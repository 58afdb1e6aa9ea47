#pragma once

#include "ordered_query_impl.hpp"
#include "sorted_array_impl.hpp"
#include "sorted_array_merge_bodies.hpp"

namespace mangrove::detail {

/// What is known of a batch before anything changes.
template <backend B, class Key>
struct sorted_array_storage<B, Key>::insert_plan {
  buffer<B, std::uint32_t> places, before;  ///< by place in the sorted batch: in the array, and new keys before
  buffer<B, Key> keys;                      ///< the new ones
  buffer<B, std::uint32_t> sources, new_places;
  array_tally tally{};

  insert_plan(const resources<B>& res, std::size_t count)
      : places(res, count), before(res, count + 1), keys(res, count), sources(res, count), new_places(res, count) {}

  [[nodiscard]] new_entries<Key> fresh() { return {keys.data(), sources.data(), new_places.data()}; }
};

template <backend B, class Key>
std::size_t sorted_array_storage<B, Key>::insert(const resources<B>& res, const void* keys, const void* values,
                                                 std::size_t count, on_existing existing, std::uint8_t* inserted) {
  check_batch_size(count);
  if (count == 0) return 0;
  const sorted_batch<B, Key> batch(res, keys, count, codec_, tally_);
  insert_plan plan(res, count);
  locate_new(res, batch, existing, inserted, plan);
  const bool appends = plan.tally.first == size_;
  if (plan.tally.fresh != 0) secure(appends ? entries_[front_] : back(), size_ + plan.tally.fresh);
  // From here on nothing can fail.
  if (existing == on_existing::assign && value_bytes_ != 0) {
    std::byte* const to = entries_[front_].values.data();
    for_each_tile<1>(
        res, count,
        assign_in_array<Key>{batch.view(), plan.before.data(), plan.places.data(), values, to, value_bytes_});
  }
  if (plan.tally.fresh != 0) merge(res, plan, values);
  res.synchronize();
  return plan.tally.fresh;
}

/// Finds out which keys are new and where they go. Changes nothing.
template <backend B, class Key>
void sorted_array_storage<B, Key>::locate_new(const resources<B>& res, const sorted_batch<B, Key>& batch,
                                              on_existing existing, std::uint8_t* inserted, insert_plan& plan) {
  const batch_view<Key> keys = batch.view();
  buffer<B, std::uint32_t> flags(res, keys.count);
  search_each<search_lanes>(res, keys.count,
                            locate_array_key<Key>{view(), keys, existing, flags.data(), plan.places.data(), inserted});
  exclusive_scan(res, flags.data(), plan.before.data(), keys.count);
  for_each_tile<1>(res, keys.count,
                   pick_new_entry<Key>{keys, plan.before.data(), plan.places.data(), plan.fresh(), tally_.data()});
  plan.tally = tally_.fetch(res);
}

/// Writes old and new keys: into the other place for keys, or, where all of the new ones come last, after the old ones.
template <backend B, class Key>
void sorted_array_storage<B, Key>::merge(const resources<B>& res, insert_plan& plan, const void* values) {
  const view_type was = view();
  const bool appends = plan.tally.first == size_;
  const std::uint64_t begin = appends ? size_ : 0;
  const std::uint64_t end = size_ + plan.tally.fresh;
  if (!appends) front_ = 1 - front_;
  const array_output<Key> to{entries_[front_].keys.data(), entries_[front_].values.data()};
  const merge_chunk<Key> body{was, plan.fresh(), plan.tally.fresh, values, to, begin, end, array_chunk<B>};
  for_each_task<array_lanes>(res, array_chunks<B>(end - begin), body);
  become(res, end);
}

}  // namespace mangrove::detail
