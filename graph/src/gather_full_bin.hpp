#pragma once

#include "block_hubs.hpp"
#include "exact_bins.hpp"
#include "hub_bin_order.hpp"
#include "mangrove/core/prefetch.hpp"
#include "new_vertices.hpp"

namespace mangrove::detail {

/// Body: makes runs of the updates in bin i, sorted out by the adjacency that each will find, and lists its hubs, whose
/// updates stand together from then on. Empties the bin's counter.
template <class Bits, hub_bins Kind>
struct gather_full_bin : block_hubs<Bits, most_keys_of(Kind)> {
  using base = block_hubs<Bits, most_keys_of(Kind)>;
  using base::all_alike, base::held, base::nowhere, base::sequences, base::status, base::targets;
  static constexpr std::uint32_t most_vertices = most_vertices_of(Kind);
  using order_type = hub_bin_order<held, most_vertices>;
  using touched = typename order_type::touched;

  update_bins bins;
  update_admission admission;

  /// A tile's memory.
  struct room {
    order_type order;
    typename base::hub_room hubs;
    typename base::counters counted;
    new_vertices<most_vertices> created;
    std::uint32_t places[held];  ///< for finding repeats
  };
  static constexpr int scratch_bytes = static_cast<int>((sizeof(room) + 127) / 128 * 128);

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i, std::byte* scratch) const {
    room& in = *reinterpret_cast<room*>(scratch);
    const bin of{static_cast<std::uint32_t>(i), bins.starts[i], bins.sizes[i]};
    tile.sync();
    if (tile.lane() == 0) {
      bins.sizes[i] = 0;
      in.hubs.count_long = 0;
    }
    if (of.size == 0 || status->comes_again()) return;
    base::clear(tile, in.counted);
    in.created.clear(tile);
    if (order(tile, in, of)) {
      gather_all(tile, in, of);
    } else if (tile.lane() == 0) {
      store_relaxed(&status->crowded, 1U);
    }
  }

 private:
  /// Which bin, and where its keys are.
  struct bin {
    std::uint32_t number;
    std::uint32_t first;
    std::uint32_t size;
  };

  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE bool order(const Tile& tile, room& in, const bin& of) const {
    return in.order.order(
        tile, bins.format, bins.keys + of.first, of.size,
        [&](std::uint32_t local) { prefetch_early(base::graph.entries + vertex_at(of, local)); },
        [&](std::uint32_t at, std::uint64_t key) { put_update(of.first + at, key); });
  }

  MANGROVE_HOST_DEVICE void put_update(std::size_t at, std::uint64_t key) const {
    targets[at] = bins.format.target(key);
    if (sequences != nullptr) sequences[at] = bins.format.sequence(key);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void gather_all(const Tile& tile, room& in, const bin& of) const {
    order_type& keys = in.order;
    if (all_alike())
      in.hubs.repeats.find(
          tile, keys.keys, keys.size, [](std::uint32_t) { return true; }, in.places);
    tile.strided_briefly(keys.size, [&](std::size_t k) {
      put_update(of.first + k, keys.keys[k]);
      if (all_alike()) base::put_outcome(of.first + k, in.hubs.repeats.counts(k));
    });
    tile.sync();  // from here on lanes change keys
    tile.strided_briefly(keys.count, [&](std::size_t k) { gather(in, of, keys.vertices[k]); });
    tile.strided_briefly(keys.count_apart, [&](std::size_t k) {
      const typename order_type::apart& large = keys.set_apart[k];
      note_new(in, of, large.local);
      base::list_hub(in.hubs, vertex_at(of, large.local), of.first + large.first, large.count, 0);
    });
    base::list_all(
        tile, in.counted, keys.count, [&](std::size_t k) { return keys.vertices[k].to; },
        [&](std::size_t k) { return run_of(in, of, keys.vertices[k]); }, [] {}, [](auto...) {});
    in.created.list(tile, admission, [&](std::uint32_t local) { return vertex_at(of, local); });
    base::list_long_hubs(tile, in.hubs);
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t vertex_at(const bin& of, std::uint32_t local) const {
    return bins.format.vertex(bin_format::place{of.number, local});
  }

  /// Notes that a vertex comes to be, if it does.
  MANGROVE_HOST_DEVICE void note_new(room& in, const bin& of, std::uint32_t local) const {
    const std::uint32_t vertex = vertex_at(of, local);
    if (base::graph.entries[vertex].degree == 0) in.created.note(admission, vertex, local);
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE vertex_run run_of(const room& in, const bin& of, const touched& one) const {
    const std::uint32_t begin = in.order.begin_of(one.local);
    return {vertex_at(of, one.local), of.first + begin, one.count, static_cast<std::uint32_t>(in.order.keys[begin])};
  }

  /// Finds out where the run of a vertex goes; or lists a hub.
  MANGROVE_HOST_DEVICE void gather(room& in, const bin& of, touched& one) const {
    const std::uint32_t begin = in.order.begin_of(one.local);
    const std::uint32_t size = in.order.end_of(one.local) - begin;
    const std::uint32_t vertex = vertex_at(of, one.local);
    const vertex_entry old = base::graph.entries[vertex];
    const std::uint32_t first = of.first + begin;
    if (old.degree == 0) in.created.note(admission, vertex, one.local);
    one.to = nowhere;
    const std::uint32_t distinct = all_alike() ? in.hubs.repeats.count(begin, begin + size) : 0;
    if (base::is_hub(old, size)) return base::list_hub(in.hubs, vertex, first, size, distinct);
    const std::uint32_t count = keep_edges(in, begin, size, distinct);
    if (count > base::most_in_run(old)) return base::list_hub(in.hubs, vertex, first, size, distinct);
    base::note_length(count);
    for (std::uint32_t k = 0; count != size && k < count; ++k) put_update(first + k, in.order.keys[begin + k]);
    const auto run = base::sort_out(in.counted, {vertex, first, count, vertex_run::in_place}, old);
    in.order.keys[begin] = run.run.plan;  // the key has been written
    one.count = static_cast<std::uint8_t>(count);
    one.to = static_cast<std::uint8_t>(run.to);
  }

  /// Keeps one key of each edge that a vertex's updates name. @param distinct how many edges, 0 if that is not known
  /// @return how many edges, or more than a run has
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t keep_edges(room& in, std::uint32_t begin, std::uint32_t size,
                                                              std::uint32_t distinct) const {
    std::uint64_t* const keys = in.order.keys + begin;
    if (distinct == 0) return keep_last(bins.format, keys, size);
    if (distinct == size) return size;
    base::keep(keys, distinct, [&](std::uint32_t k) { return in.hubs.repeats.counts(begin + k); });
    return distinct;
  }
};

}  // namespace mangrove::detail
