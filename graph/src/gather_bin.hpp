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
    new_vertices<(order_type::most_vertices + 31) / 32 * 32> created;
    std::uint32_t first;  ///< of the bin's updates among all gathered ones
  };
  static constexpr int scratch_bytes = static_cast<int>((sizeof(room) + 127) / 128 * 128);

  template <class Tile>
  MANGROVE_HOST_DEVICE void prepare(const Tile& tile, std::size_t, std::byte* scratch) const {
    room& in = *reinterpret_cast<room*>(scratch);
    base::clear(tile, in.counted);
    in.created.clear(tile);
    in.order.clear(tile, bins.format);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i, std::byte* scratch) const {
    room& in = *reinterpret_cast<room*>(scratch);
    const auto bin = static_cast<std::uint32_t>(i);
    const bin_source keys(tile, bins.keys + i * bins.format.capacity, bins.format.capacity);
    const std::uint32_t size = bins.sizes[bin];
    const bool comes_again = status->comes_again();
    tile.sync();
    if (tile.lane() == 0) bins.sizes[bin] = 0;
    if (size != 0 && size <= bins.format.capacity && !comes_again) gather(tile, in, bin, keys, size);
  }

 private:
  template <class Tile>
  MANGROVE_HOST_DEVICE void gather(const Tile& tile, room& in, std::uint32_t bin, const bin_source& keys,
                                   std::uint32_t size) const {
    if (tile.lane() == 0) in.first = fetch_add(&status->updates.value, size);
    in.order.order(tile, bins.format, keys, size, [&](std::uint32_t local) {
      prefetch_early(base::graph.entries + bins.format.vertex({bin, local}));
    });
    discard(tile, keys.begin(), keys.begin() + size);
    tile.strided(in.order.count, [&](std::size_t k) { gather_one(in, bin, static_cast<std::uint32_t>(k)); });
    base::list_all(
        tile, in.counted, in.order.count, [&](std::size_t k) { return in.order.vertices[k].to; },
        [&](std::size_t k) { return run_of(in, bin, static_cast<std::uint32_t>(k)); }, [] {}, [](auto...) {});
    in.created.list(tile, admission, [&](std::uint32_t k) { return vertex_at(in, bin, k); });
  }

  /// The vertex that is number k of those that have updates in the bin.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t vertex_at(const room& in, std::uint32_t bin, std::uint32_t k) const {
    const std::uint32_t local = in.order.vertices[k].local;
    return bins.format.vertex({bin, local});
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE vertex_run run_of(const room& in, std::uint32_t bin, std::uint32_t k) const {
    const std::uint32_t begin = in.order.begin_of(k);
    return {vertex_at(in, bin, k), in.first + begin, in.order.vertices[k].count,
            static_cast<std::uint32_t>(in.order.keys[begin])};
  }

  /// Where vertices have few updates, their entries take more room than the L2 cache has until runs are applied: the
  /// runs need it.
  [[nodiscard]] MANGROVE_HOST_DEVICE vertex_entry entry_of(std::uint32_t vertex) const {
    const vertex_entry* const at = base::graph.entries + vertex;
    return Way == bin_slots::by_number ? *at : load_passing(at);
  }

  /// Writes the last update on each edge of a vertex, and finds out where its run goes.
  MANGROVE_HOST_DEVICE void gather_one(room& in, std::uint32_t bin, std::uint32_t k) const {
    touched of = in.order.vertices[k];
    const std::uint32_t vertex = vertex_at(in, bin, k);
    const vertex_entry old = entry_of(vertex);
    const std::uint32_t begin = in.order.begin_of(k);
    const std::uint32_t size = in.order.end_of(k) - begin;
    std::uint64_t* const keys = in.order.keys + begin;
    if (old.degree == 0) in.created.note(admission, vertex, k);
    if (size > vertex_run::max_updates) {
      in.order.vertices[k].to = nowhere;
      return store_relaxed(&status->crowded, 1U);
    }
    const std::uint32_t first = in.first + begin;
    const std::uint32_t count = keep_last(bins.format, keys, size);
    for (std::uint32_t at = 0; at < count; ++at) {
      targets[first + at] = bins.format.target(keys[at]);
      if (sequences != nullptr) sequences[first + at] = bins.format.sequence(keys[at]);
    }
    const auto run = base::sort_out(in.counted, {vertex, first, count, vertex_run::in_place}, old);
    keys[0] = run.run.plan;  // the key has been written
    of.count = count;
    of.to = run.to;
    in.order.vertices[k] = of;
  }
};

}  // namespace mangrove::detail
