#pragma once

#include "bin_order.hpp"
#include "bin_updates.hpp"
#include "block_runs.hpp"
#include "mangrove/core/prefetch.hpp"
#include "new_vertices.hpp"

namespace mangrove::detail {

/// Body: makes runs of the updates in bin i, sorted out by the adjacency that each will find. Empties the bin's
/// counter.
///
/// Keys are put in order by vertex in scratch; then lanes share the vertices that have any. The tile numbers the runs
/// of each list by one atomic.
template <class Bits, bin_slots Way>
struct gather_bin : block_runs<Bits, run_planning::later> {
  using base = block_runs<Bits, run_planning::later>;
  using base::nowhere, base::sequences, base::status, base::targets;
  using order_type = bin_order<Way>;
  using touched = typename order_type::touched;
  static constexpr int width = 512;
  static constexpr int blocks_at_once = 3;

  update_bins bins;
  update_admission admission;

  /// A tile's memory.
  struct room {
    order_type order;
    typename base::counters counted;
    new_vertices<order_type::most_slots> created;
    std::uint32_t first;  ///< of the bin's updates among all gathered ones
  };
  static constexpr int scratch_bytes = static_cast<int>((sizeof(room) + 127) / 128 * 128);

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i, std::byte* scratch) const {
    room& in = *reinterpret_cast<room*>(scratch);
    const auto bin = static_cast<std::uint32_t>(i);
    const std::uint32_t size = bins.sizes[bin];
    tile.sync();
    if (tile.lane() == 0) bins.sizes[bin] = 0;
    if (size != 0 && size <= bins.format.capacity && !status->comes_again()) gather(tile, in, bin, size);
  }

 private:
  template <class Tile>
  MANGROVE_HOST_DEVICE void gather(const Tile& tile, room& in, std::uint32_t bin, std::uint32_t size) const {
    base::clear(tile, in.counted);
    in.created.clear(tile);
    if (tile.lane() == 0) in.first = fetch_add(&status->updates.value, size);
    in.order.order(tile, bins.format, bins.keys + std::size_t{bin} * bins.format.capacity, size,
                   [&](std::uint32_t local) {
                     prefetch_early(base::graph.entries + bins.format.vertex({bin, local}));
                   });
    tile.strided(in.order.count, [&](std::size_t k) { gather_one(tile.solo(), in, bin, in.order.vertices[k]); });
    base::list_all(
        tile, in.counted, in.order.count, [&](std::size_t k) { return in.order.vertices[k].to; },
        [&](std::size_t k) { return run_of(in, bin, in.order.vertices[k]); }, [] {}, [](auto...) {});
    in.created.list(tile, admission, [&](std::uint32_t slot) { return vertex_at(in, bin, slot); });
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t vertex_at(const room& in, std::uint32_t bin,
                                                             std::uint32_t slot) const {
    return bins.format.vertex({bin, in.order.vertex_at(slot)});
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE vertex_run run_of(const room& in, std::uint32_t bin, const touched& of) const {
    const std::uint32_t begin = in.order.begin_of(of.slot);
    return {vertex_at(in, bin, of.slot), in.first + begin, of.count, static_cast<std::uint32_t>(in.order.keys[begin])};
  }

  /// Writes the last update on each edge of a vertex, and finds out where its run goes.
  template <class Lane>
  MANGROVE_HOST_DEVICE void gather_one(const Lane& lane, room& in, std::uint32_t bin, touched& of) const {
    const std::uint32_t begin = in.order.begin_of(of.slot);
    const std::uint32_t size = in.order.end_of(of.slot) - begin;
    const std::uint32_t vertex = vertex_at(in, bin, of.slot);
    const vertex_entry old = base::graph.entries[vertex];
    std::uint64_t* const keys = in.order.keys + begin;
    of.to = nowhere;
    if (old.degree == 0) in.created.note(admission, vertex, of.slot);
    if (size > vertex_run::max_updates) return store_relaxed(&status->crowded, 1U);
    const std::uint32_t first = in.first + begin;
    const std::uint32_t count = keep_last(bins.format, keys, size);
    for (std::uint32_t k = 0; k < count; ++k) {
      targets[first + k] = bins.format.target(keys[k]);
      if (sequences != nullptr) sequences[first + k] = bins.format.sequence(keys[k]);
    }
    const auto run = base::sort_out(lane, in.counted, {vertex, first, count, vertex_run::in_place}, old);
    keys[0] = run.run.plan;  // the key has been written
    of.count = static_cast<std::uint8_t>(count);
    of.to = static_cast<std::uint8_t>(run.to);
  }
};

}  // namespace mangrove::detail
