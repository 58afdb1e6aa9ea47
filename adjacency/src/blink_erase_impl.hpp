#pragma once

#include <optional>

#include "blink_dealt_impl.hpp"
#include "blink_erase_bins.hpp"
#include "blink_erase_bodies.hpp"
#include "blink_storage_impl.hpp"
#include "ordered_build_bodies.hpp"

namespace mangrove::detail {

/// Batches from which on sorting keys costs less than searching for them one by one.
inline constexpr std::size_t erase_sorted_from = std::size_t{1} << 22;

/// Marks the slots of keys. Changes nothing else.
template <backend B, class Key>
void blink_storage<B, Key>::mark_erased(const resources<B>& res, const void* keys, std::size_t count,
                                        std::uint32_t* marks, std::uint8_t* erased) {
  const mark_erased_key<Key> mark{raw_view(), keys, marks, erased};
  if (count >= erase_sorted_from && !codec_.may_refuse()) {
    const sorted_batch<B, Key> batch(res, keys, count, codec_, tally_);
    for_each_tile<search_lanes>(res, count, mark_sorted_key<Key>{mark, batch.view()});
  } else {
    for_each_tile<search_lanes>(res, count, mark);
  }
}

template <backend B, class Key>
std::size_t blink_storage<B, Key>::erase(const resources<B>& res, const void* keys, std::size_t count,
                                         std::uint8_t* erased) {
  check_batch_size(count);
  settle(res);
  if (count == 0) return 0;
  if (!codec_.may_refuse()) {
    const auto gone = erase_dealt(res, keys, count, erased);
    if (gone.has_value()) return *gone;
  }
  return erase_marked(res, keys, count, erased);
}

/// Erases a batch by dealing its keys out to bins. @return nothing, with the tree as it was, where too many keys want
/// a few neighbouring leaves, or bins do not suit the batch
template <backend B, class Key>
std::optional<std::size_t> blink_storage<B, Key>::erase_dealt(const resources<B>& res, const void* keys,
                                                              std::size_t count, std::uint8_t* erased) {
  const auto shape = bin_shape<Key>::for_batch(count, leaves_);
  if (shape.bins == 0) return std::nullopt;
  const bin_arrays<Key> bins = bins_.secure(res, shape, leaves_, count);
  deal_keys_out(res, bins, keys, count, erased);
  buffer<B, std::uint32_t> kept_before(res, leaves_ + std::size_t{1});
  buffer<B, node_index> order(res, leaves_);
  // From here on nothing can fail.
  with_value_bits(arena_.nodes().value_bytes, [&](auto value) {
    using body = erase_bin<Key, decltype(value)>;
    for_each_tile_with_scratch<body::width, body::scratch_bytes>(res, shape.bins,
                                                                 body{{raw_view(), bins, dealt_.data()}, erased});
  });
  const dealt_tally done = dealt_.take(res);
  if (done.skewed != 0) return std::nullopt;
  size_ -= done.erased;
  if (size_ == 0) {
    become_empty(res, std::move(order));
  } else if (done.emptied != 0) {
    sum_shifts(res, bins);
    for_each_tile<1>(res, leaves_,
                     count_kept{bins.before, bins.shift, shape.leaves, leaves_, done.emptied, kept_before.data()});
    drop_leaves(res, kept_before.data(), leaves_ - done.emptied, std::move(order));
  }
  repack_if_sparse(res);
  res.synchronize();
  return done.erased;
}

/// The same by marking the keys' slots first.
template <backend B, class Key>
std::size_t blink_storage<B, Key>::erase_marked(const resources<B>& res, const void* keys, std::size_t count,
                                                std::uint8_t* erased) {
  const view_type tree = view();
  buffer<B, std::uint32_t> marks(res, leaves_);
  buffer<B, std::uint32_t> kept(res, leaves_);
  buffer<B, std::uint32_t> kept_before(res, leaves_ + std::size_t{1});
  buffer<B, node_index> order(res, leaves_);
  fill_bytes(res, marks.data(), 0, leaves_);
  mark_erased(res, keys, count, marks.data(), erased);
  tally_.clear(res);
  const count_marked<Key> counting{tree, marks.data(), kept.data(), tally_.data()};
  for_each_tile<sweep_lanes>(res, (leaves_ + counting.chunk - 1) / counting.chunk, counting);
  exclusive_scan(res, kept.data(), kept_before.data(), leaves_);
  for_each_tile<leaf_lanes>(res, leaves_, compact_leaf<Key>{tree, marks.data()});
  for_each_tile<1>(res, 1, sum_kept{kept_before.data() + leaves_, tally_.data()});
  const blink_tally done = tally_.fetch(res);
  size_ -= done.keys;
  if (size_ == 0) {
    become_empty(res, std::move(order));
  } else if (done.kept != leaves_) {
    drop_leaves(res, kept_before.data(), done.kept, std::move(order));
  }
  repack_if_sparse(res);
  res.synchronize();
  return done.keys;
}

/// Builds the leaves anew when they have become less than half as full as they are built, so that memory follows the
/// number of keys. Each time as many keys were erased as are moved. Without memory for it the tree stays as it is.
template <backend B, class Key>
void blink_storage<B, Key>::repack_if_sparse(const resources<B>& res) {
  if (leaves_ < 16 || size_ * 2 >= leaves_ * keys_per_leaf()) return;
  try {
    buffer<B, Key> keys(res, size_);
    buffer<B, std::byte> values(res, size_ * arena_.nodes().value_bytes);
    retrieve_all(res, keys.data(), values.data());
    build_from(res, given_keys<Key>{keys.data(), values.data(), codec_}, size_);
  } catch (const memory_error&) {
    return;
  }
}

}  // namespace mangrove::detail
