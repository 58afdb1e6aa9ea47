#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "mangrove/core/atomic.hpp"
#include "mangrove/core/bulk.hpp"
#include "mangrove/core/detail/free_lists.hpp"
#include "mangrove/core/detail/row_of.hpp"

/// @file
/// Joining freed extents that lie side by side: they are sorted by address, and each run of neighbours becomes a few
/// extents as large as can be.

namespace mangrove::detail {

/// Freed extents as numbers that sort by address: the first granule above, how many there are below.
struct extent_key {
  static constexpr int first_bit = 32;

  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint64_t of(slab_index first, std::uint32_t granules) {
    return std::uint64_t{first} << first_bit | granules;
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint64_t first(std::uint64_t key) { return key >> first_bit; }
  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint64_t end(std::uint64_t key) {
    return first(key) + static_cast<std::uint32_t>(key);
  }
};

/// Body, once per freed extent: lists it.
struct list_extents {
  freed_extents lists;
  const std::uint32_t* offsets;  ///< extents of the classes before, one per class
  std::uint64_t* keys;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const auto c = static_cast<std::uint32_t>(row_of(offsets, size_classes, static_cast<std::uint32_t>(i)));
    keys[i] = extent_key::of(lists[c][static_cast<std::uint32_t>(i) - offsets[c]], size_class_granules(c));
  }
};

/// Body, once per listed extent: whether no other ends where it starts.
struct mark_gaps {
  const std::uint64_t* keys;
  std::uint8_t* flags;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    flags[i] = i == 0 || extent_key::end(keys[i - 1]) != extent_key::first(keys[i]) ? 1 : 0;
  }
};

/// Runs of neighbours among the listed extents.
struct extent_runs {
  const std::uint64_t* keys;
  const std::uint32_t* starts;  ///< position of each run's first extent
  std::size_t runs;
  std::size_t extents;

  /// Calls `f(size class, first granule)` for the pieces that run `i` becomes.
  template <class F>
  MANGROVE_HOST_DEVICE void for_each_piece(std::size_t i, const F& f) const {
    const std::size_t behind = i + 1 < runs ? starts[i + 1] : extents;
    const std::uint64_t end = extent_key::end(keys[behind - 1]);
    for (std::uint64_t first = extent_key::first(keys[starts[i]]); first != end;) {
      const std::uint32_t c = first_piece_class(first, end - first, granules_per_slab);
      f(c, static_cast<slab_index>(first));
      first += size_class_granules(c);
    }
  }
};

/// What joining comes to.
struct join_counts {
  class_counts pieces;
  std::uint64_t runs;
};

/// Body, once per listed extent, since the host need not know how many runs they are: counts a run's pieces.
struct count_pieces {
  extent_runs runs;  ///< all but how many there are
  join_counts* counts;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    extent_runs all = runs;
    all.runs = counts->runs;
    if (i >= all.runs) return;
    all.for_each_piece(i, [this](std::uint32_t c, slab_index) { count_up(&counts->pieces[c]); });
  }
};

/// Body, once per run: writes its pieces into the lists, which have pages for them.
struct write_pieces {
  extent_runs runs;
  freed_extents lists;
  join_counts* written;  ///< so far

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    runs.for_each_piece(i,
                        [this](std::uint32_t c, slab_index first) { lists[c][count_up(&written->pieces[c])] = first; });
  }
};

/// Freed extents joined with their neighbours, not yet written into the lists.
template <backend B>
class joined_extents {
 public:
  /// Waits for numbers. @throws memory_error
  /// @param end granules handed out so far
  /// Cost: a sort of all freed extents, and 13 bytes of scratch for each besides what the sort takes.
  joined_extents(const resources<B>& res, free_lists<B>& lists, std::uint64_t end)
      : extents_(total(lists.counts())), keys_(res, extents_), starts_(res, extents_), counts_(res, 1) {
    list(res, lists);
    sort(res, keys_.data(), extents_, extent_key::first_bit, extent_key::first_bit + std::bit_width(end));
    buffer<B, std::uint8_t> flags(res, extents_);
    for_each_tile<1>(res, extents_, mark_gaps{keys_.data(), flags.data()});
    fill_bytes(res, counts_.data(), 0, 1);
    select(res, flags.data(), starts_.data(), extents_, &counts_.data()->runs);
    for_each_tile<1>(res, extents_, count_pieces{runs(), counts_.data()});
    made_ = read_back(res, counts_.data());
  }

  /// Extents of each class that there are then.
  [[nodiscard]] const class_counts& made() const noexcept { return made_.pieces; }

  /// Writes them into the lists, in place of what is there. Allocates nothing. @param lists have room
  void write(const resources<B>& res, free_lists<B>& lists) {
    fill_bytes(res, counts_.data(), 0, 1);
    lists.turn(res, {}, made_.pieces, made_.pieces, list_pages::needed);
    for_each_tile<1>(res, made_.runs, write_pieces{runs(), lists.snapshot(), counts_.data()});
  }

 private:
  static std::size_t total(const class_counts& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  }

  void list(const resources<B>& res, free_lists<B>& lists) {
    const class_counts counts = lists.counts();
    class_counts offsets{};
    std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), std::uint32_t{0});
    const auto placed = make_buffer<B>(res, offsets.data(), size_classes);
    for_each_tile<1>(res, extents_, list_extents{lists.snapshot(), placed.data(), keys_.data()});
  }

  [[nodiscard]] extent_runs runs() const noexcept { return {keys_.data(), starts_.data(), made_.runs, extents_}; }

  std::size_t extents_;
  buffer<B, std::uint64_t> keys_;
  buffer<B, std::uint32_t> starts_;
  buffer<B, join_counts> counts_;
  join_counts made_{};
};

}  // namespace mangrove::detail
