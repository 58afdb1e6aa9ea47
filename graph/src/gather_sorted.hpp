#pragma once

#include "block_runs.hpp"
#include "mangrove/core/prefetch.hpp"
#include "sorted_runs.hpp"

namespace mangrove::detail {

/// Body: gathers the runs that begin in a stretch of sorted keys. Lanes share the vertices; of a hub only its pieces
/// are listed.
template <class Bits>
struct gather_sorted : block_runs<Bits> {
  using base = block_runs<Bits>;
  using base::nowhere, base::sequences, base::status, base::targets;
  static constexpr int width = 512;
  static constexpr int blocks_at_once = 3;
  static constexpr std::size_t stretch = 4096;
  /// Updates from which a vertex with a hash table is a hub: a lane applies a run one by one, and others wait.
  static constexpr std::uint32_t most_in_table = hub_list::min_updates;

  sorted_keys sorted;
  hub_list hubs;

  static std::size_t calls_for(std::size_t keys) { return (keys + stretch - 1) / stretch; }

  /// A vertex with updates, and once they are gathered what became of them.
  struct found {
    std::uint16_t at;    ///< its first key in the stretch
    std::uint8_t count;  ///< of its run
    std::uint8_t to;
  };

  /// A tile's memory.
  struct room {
    std::uint64_t keys[stretch + max_run_steps];
    found runs[stretch];
    typename base::counters counted;
    hub_list::range long_hubs[stretch / hub_piece::updates + 1];
    std::uint32_t count;         ///< of runs
    std::uint32_t many_updates;  ///< number of long hubs
  };
  static constexpr int scratch_bytes = static_cast<int>((sizeof(room) + 127) / 128 * 128);

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i, std::byte* scratch) const {
    room& in = *reinterpret_cast<room*>(scratch);
    const std::size_t first = i * stretch;
    base::clear(tile, in.counted);
    if (tile.lane() == 0) in.count = in.many_updates = 0;
    tile.strided(stretch + max_run_steps, [&](std::size_t k) {
      in.keys[k] = first + k < sorted.count ? load_once(sorted.keys + first + k) : sorted.format.dropped();
    });
    tile.sync();
    find_runs(tile, in, first);
    tile.sync();
    std::uint64_t runs = 0;
    tile.strided(in.count, [&](std::size_t k) {
      gather(in, first, in.runs[k]);
      if (in.runs[k].to != nowhere) runs += base::one_of(in.runs[k].to);
    });
    std::uint64_t before = tile.prefix_sum(runs);
    base::number_runs(tile, in.counted, tile.sum(runs));  // the sum waits for all gifts, too
    tile.strided(in.count, [&](std::size_t k) {
      const found& of = in.runs[k];
      if (of.to == nowhere) return;
      base::put(in.counted, before, of.to,
                {source(in, of.at), static_cast<std::uint32_t>(first) + of.at, of.count, vertex_run::in_place});
      before += base::one_of(of.to);
    });
    for (std::uint32_t k = 0; k < in.many_updates; ++k) {
      const hub_list::range of = in.long_hubs[k];
      tile.strided(of.count, [&](std::size_t part) { hubs.put_piece(of, static_cast<std::uint32_t>(part)); });
    }
  }

 private:
  /// Pieces of a hub that its lane lists by itself.
  static constexpr std::uint32_t few_pieces = 4;

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t source(const room& in, std::uint32_t k) const {
    return sorted.format.source(in.keys[k]);
  }

  /// Lists where vertices' keys begin.
  template <class Tile>
  MANGROVE_HOST_DEVICE void find_runs(const Tile& tile, room& in, std::size_t first) const {
    tile.strided(stretch, [&](std::size_t k) {
      if (in.keys[k] == sorted.format.dropped()) return;
      const std::uint32_t vertex = sorted.format.source(in.keys[k]);
      const bool follows = k != 0 ? sorted.format.source(in.keys[k - 1]) == vertex
                                  : first != 0 && sorted.format.source(sorted.keys[first - 1]) == vertex;
      if (follows) return;
      prefetch_early(base::graph.entries + vertex);
      in.runs[relaxed_add(&in.count, 1U)].at = static_cast<std::uint16_t>(k);
    });
  }

  /// Writes the last update on each edge of a vertex and finds out where its run goes; or lists a hub.
  MANGROVE_HOST_DEVICE void gather(room& in, std::size_t first, found& of) const {
    const std::uint32_t vertex = source(in, of.at);
    const vertex_entry old = base::graph.entries[vertex];
    const bool has_table = entry_layout<Bits>::kind(old) == adjacency_kind::hash;
    const std::uint32_t most = has_table ? most_in_table : max_run_steps;
    of.to = nowhere;
    const auto begin = static_cast<std::uint32_t>(first + of.at);
    if (source(in, of.at + most) == vertex) return list_hub(in, vertex, begin);
    const std::uint64_t* const keys = in.keys + of.at;
    const std::uint64_t kept = last_on_edges(keys, vertex);
    const std::uint32_t count = count_bits(kept);
    if (count > vertex_run::max_updates) return list_hub(in, vertex, begin);
    std::uint32_t to = begin;
    for (std::uint32_t k = 0; to < begin + count; ++k) {
      if ((kept >> k & 1) == 0) continue;
      targets[to] = sorted.format.target(keys[k]);
      if (sequences != nullptr) sequences[to] = sorted.format.sequence(keys[k]);
      ++to;
    }
    const auto run = base::sort({vertex, begin, count, vertex_run::in_place}, old,
                                [&](std::uint32_t size_class) { relaxed_add(in.counted.gifts + size_class, 1U); });
    of.count = static_cast<std::uint8_t>(count);
    of.to = static_cast<std::uint8_t>(run.to);
  }

  /// Which of a vertex's keys are the last on their edges, a bit each; or more than a run has.
  /// @pre there are no more keys than bits
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t last_on_edges(const std::uint64_t* keys,
                                                                 std::uint32_t vertex) const {
    static_assert(max_run_steps <= 64);
    std::uint64_t kept = 0;
    target_filter seen;
    std::uint32_t count = 0;
    for (std::uint32_t k = 0; count <= vertex_run::max_updates && sorted.format.source(keys[k]) == vertex; ++k) {
      const std::uint32_t target = sorted.format.target(keys[k]);
      const std::uint32_t before = seen.add(target) ? k : 0;
      for (std::uint32_t j = 0; j < before; ++j) {
        if (sorted.format.target(keys[j]) == target) kept &= ~(std::uint64_t{1} << j);
      }
      kept |= std::uint64_t{1} << k;
      count = count_bits(kept);
    }
    return kept;
  }

  MANGROVE_HOST_DEVICE void list_hub(room& in, std::uint32_t vertex, std::uint32_t begin) const {
    const std::size_t end = sorted.end_of(begin, vertex);
    const hub_list::range of = hubs.put(vertex, begin, static_cast<std::uint32_t>(end - begin));
    if (of.count > few_pieces) {
      in.long_hubs[relaxed_add(&in.many_updates, 1U)] = of;
    } else {
      for (std::uint32_t part = 0; part < of.count; ++part) hubs.put_piece(of, part);
    }
  }
};

}  // namespace mangrove::detail
