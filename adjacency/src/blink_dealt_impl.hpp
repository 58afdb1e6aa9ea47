#pragma once

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

#include "blink_dealt_bodies.hpp"
#include "blink_storage_impl.hpp"

namespace mangrove::detail {

/// Fewer keys than one for so many leaves claim their leaves one by one. Measured; a thread gains by order sooner.
template <backend B>
inline constexpr std::size_t leaves_a_claim = std::is_same_v<B, cpu> ? 64 : 6;

/// With more keys for each leaf, on average, some leaf would get too many.
inline constexpr std::size_t most_a_leaf = 8;

/// With up to so many keys for each leaf, on average, the leaves of a warp are worked on in step. Measured.
inline constexpr std::size_t most_in_step = 2;

/// Where keys are inserted.
enum class dealt_leaves { uncrowded, crowded, all };

/// Inserts keys into leaves that have room for all they get. @param leaves of the tree
template <class Value, class Resources, class Key>
void merge_leaves(const Resources& res, const dealt_batch<Key>& batch, std::size_t leaves, std::size_t count) {
  const auto merge = [&](const auto& body) {
    for_each_counted<leaf_lanes>(res, &batch.tally->touched, std::min(leaves, count), body);
  };
  if (count <= most_in_step * leaves) {
    merge(merge_dealt<Key, Value, leaf_pace::in_step>{batch});
  } else {
    merge(merge_dealt<Key, Value, leaf_pace::own>{batch});
  }
}

/// Inserts a batch by dealing its keys out to bins. @return nothing, with the tree as it was, where too many keys want
/// one leaf or a few neighbouring ones, or bins do not suit the batch
template <backend B, class Key>
std::optional<std::size_t> blink_storage<B, Key>::insert_dealt(const resources<B>& res, const void* keys,
                                                               const void* values, std::size_t count,
                                                               on_existing existing, std::uint8_t* inserted) {
  const auto shape = bin_shape<Key>::for_batch(count, leaves_);
  if (shape.bins == 0 || count > most_a_leaf * leaves_) return std::nullopt;
  const bin_arrays<Key> bins = bins_.secure(res, shape, leaves_, count);
  const auto at_hand = static_cast<std::uint32_t>(std::min(arena_.leaves_at_hand(), count));
  dealt_batch<Key> batch{raw_view(), bins, values, existing, inserted, at_hand, dealt_.data()};
  deal_out(res, batch, keys, count);
  arena_.secure_inner(inner_nodes_for(leaves_ + std::size_t{at_hand}));
  buffer<B, node_index> order(res, leaves_ + std::size_t{at_hand});
  // Where many keys come for each leaf, some are crowded for sure: the host does not wait to hear of it.
  const dealt_leaves at_first = count > leaves_ / 2 ? dealt_leaves::all : dealt_leaves::uncrowded;
  apply_dealt(res, batch, count, at_first, order.data());
  dealt_tally seen = dealt_.take(res);
  if (seen.refused != 0) throw_nan();
  if (seen.skewed != 0) return std::nullopt;
  if (seen.extra > at_hand) {
    arena_.secure_leaves(seen.extra);
    arena_.secure_inner(inner_nodes_for(leaves_ + std::size_t{seen.extra}));
    order = buffer<B, node_index>(res, leaves_ + std::size_t{seen.extra});
    // From here on nothing can fail.
    batch.granted = seen.extra;
    dealt_.put(res, seen);
    apply_dealt(res, batch, count, dealt_leaves::all, order.data());
    seen = dealt_.take(res);
  } else if (seen.crowded != 0 && at_first != dealt_leaves::all) {
    dealt_.put(res, seen);
    apply_dealt(res, batch, count, dealt_leaves::crowded, order.data());
  }
  const std::size_t fresh = count - seen.all_rejected();
  size_ += fresh;
  if (seen.extra == 0) return fresh;
  arena_.take(seen.extra);
  become_indexed(std::move(order), leaves_ + seen.extra);
  return fresh;
}

/// Deals the keys of a batch out to bins. @param noted becomes all 0 where the caller wants to know, else null
template <backend B, class Key>
void blink_storage<B, Key>::deal_keys_out(const resources<B>& res, const bin_arrays<Key>& bins, const void* keys,
                                          std::size_t count, std::uint8_t* noted) {
  using deal = deal_keys<Key>;
  dealt_.clear(res);
  const std::size_t stretch = deal::stretch_for(count);
  for_each_tile_with_scratch<deal::width, deal::scratch_bytes>(
      res, (count + stretch - 1) / stretch, deal{raw_view(), bins, keys, count, stretch, noted, dealt_.data()});
}

/// Finds out which leaf gets which keys, and how many leaves more that takes. Changes nothing.
template <backend B, class Key>
void blink_storage<B, Key>::deal_out(const resources<B>& res, const dealt_batch<Key>& batch, const void* keys,
                                     std::size_t count) {
  using gather = gather_leaves<Key>;
  const bin_arrays<Key>& bins = batch.bins;
  deal_keys_out(res, bins, keys, count, batch.inserted);
  const auto per_leaf = static_cast<std::uint32_t>(keys_per_leaf());
  for_each_tile_with_scratch<gather::width, gather::scratch_bytes>(res, bins.shape.bins,
                                                                   gather{{batch.tree, bins, batch.tally}, per_leaf});
}

/// Inserts the keys of some leaves, unless the batch takes more new leaves than are granted. Allocates nothing.
/// @param order with crowded leaves becomes that of the leaves that there will be, if there will be more
template <backend B, class Key>
void blink_storage<B, Key>::apply_dealt(const resources<B>& res, const dealt_batch<Key>& batch, std::size_t count,
                                        dealt_leaves which, node_index* order) {
  const bin_arrays<Key>& bins = batch.bins;
  const std::size_t touched = std::min<std::size_t>(leaves_, count);
  if (which != dealt_leaves::uncrowded) sum_shifts(res, bins);
  const independent_loops<B> leaves(res);
  with_value_bits(arena_.nodes().value_bytes, [&](auto value) {
    using value_type = decltype(value);
    if (which != dealt_leaves::crowded) merge_leaves<value_type>(leaves.res(), batch, leaves_, count);
    if (which != dealt_leaves::uncrowded) {
      const spread_crowded<Key, value_type> spread{batch, arena_.supply(), order};
      for_each_counted<leaf_lanes>(leaves.res(), &batch.tally->crowded, touched, spread);
    }
  });
  if (which == dealt_leaves::uncrowded) return;
  for_each_tile<1>(res, leaves_, spread_dealt<Key>{batch, order});
  const std::size_t nodes = inner_nodes_for(leaves_ + std::size_t{batch.granted});
  for_each_tile<leaf_lanes>(res, nodes, index_dealt<Key>{batch, order});
}

/// From leaves that come or go in each bin to those of the bins before it.
template <backend B, class Key>
void blink_storage<B, Key>::sum_shifts(const resources<B>& res, const bin_arrays<Key>& bins) {
  for_each_tile_with_scratch<sum_bins::width, sum_bins::scratch_bytes>(
      res, 1, sum_bins{bins.shape.bins, bins.shifts, bins.before});
}

}  // namespace mangrove::detail
