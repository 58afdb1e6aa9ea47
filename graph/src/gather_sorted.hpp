#pragma once

#include "block_runs.hpp"
#include "mangrove/core/prefetch.hpp"
#include "sorted_runs.hpp"
#include "stretch_repeats.hpp"

namespace mangrove::detail {

/// Body: gathers the runs that begin in a stretch of sorted keys. Lanes share the vertices; a hub is listed, and its
/// pieces. Where all updates are alike, it is found out here which updates of a hub repeat others, unless it has some
/// in another stretch: keys are in fast memory now, and each that is looked up later would be an access to memory.
template <class Bits>
struct gather_sorted : block_runs<Bits, run_planning::later> {
  using base = block_runs<Bits, run_planning::later>;
  using base::nowhere, base::sequences, base::status, base::targets;
  static constexpr int width = 512;
  static constexpr int blocks_at_once = 3;
  /// Keys that are held; a stretch is shorter, so that all updates of most hubs that begin in it are there.
  static constexpr std::uint32_t held = 4096;
  static constexpr std::size_t stretch = held - 512;
  static_assert(held - stretch >= max_run_steps);
  /// Updates from which a vertex with a hash table is a hub: a lane applies a run one by one, and others wait.
  static constexpr std::uint32_t most_in_table = hub_list::min_updates;

  /// Pieces of a hub that its lane lists by itself.
  static constexpr std::uint32_t few_pieces = 4;

  sorted_keys sorted;
  hub_list hubs;

  static std::size_t calls_for(std::size_t keys) { return (keys + stretch - 1) / stretch; }

  /// A vertex with updates, and once they are gathered what became of them.
  struct found {
    std::uint16_t at;    ///< its first key in the stretch
    std::uint8_t count;  ///< of its keys, one more than a run may have at most; then of its run
    std::uint8_t to;
  };

  /// A tile's memory.
  struct room {
    std::uint64_t keys[held];
    found runs[held];
    stretch_repeats<held> repeats;
    typename base::counters counted;
    hub_list::range long_hubs[stretch / (few_pieces * hub_piece::least_updates) + 1];
    std::uint32_t count;         ///< of runs
    std::uint32_t many_updates;  ///< number of long hubs
    bool knows_repeats;

    /// Memory that is used before there are runs.
    [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t* before_runs() { return reinterpret_cast<std::uint32_t*>(runs); }
  };
  static_assert(sizeof(room::runs) >= held * sizeof(std::uint32_t));
  static constexpr int scratch_bytes = static_cast<int>((sizeof(room) + 127) / 128 * 128);

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i, std::byte* scratch) const {
    room& in = *reinterpret_cast<room*>(scratch);
    const std::size_t first = i * stretch;
    base::clear(tile, in.counted);
    if (tile.lane() == 0) in.count = in.many_updates = 0;
    tile.strided(held, [&](std::size_t k) {
      in.keys[k] = first + k < sorted.count ? load_once(sorted.keys + first + k) : sorted.format.dropped;
    });
    tile.sync();
    const bool knows_repeats = finds_repeats(in);
    if (tile.lane() == 0) in.knows_repeats = knows_repeats;
    if (knows_repeats) find_repeats(tile, in, first);
    find_runs(tile, in, first);
    tile.sync();
    tile.strided(in.count, [&](std::size_t k) { in.runs[k].count = count_keys(in, in.runs[k].at); });
    tile.sync();  // from here on lanes change keys
    tile.strided(in.count, [&](std::size_t k) { gather(tile.solo(), in, first, in.runs[k]); });
    base::list_all(
        tile, in.counted, in.count, [&](std::size_t k) { return in.runs[k].to; },
        [&](std::size_t k) { return run_of(in, first, in.runs[k]); }, [] {}, [](auto...) {});
    for (std::uint32_t k = 0; k < in.many_updates; ++k) {
      const hub_list::range of = in.long_hubs[k];
      tile.strided(of.count, [&](std::size_t part) { hubs.put_piece(of, static_cast<std::uint32_t>(part)); });
    }
  }

 private:
  /// Whether repeats are found: not where order matters, nor where no hub can be in this stretch alone.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool finds_repeats(const room& in) const {
    return sequences == nullptr && source(in, 0) != source(in, stretch - 1);
  }

  /// Tells of each update whether it repeats another one in the stretch.
  template <class Tile>
  MANGROVE_HOST_DEVICE void find_repeats(const Tile& tile, room& in, std::size_t first) const {
    in.repeats.find(
        tile, in.keys, [&](std::uint32_t k) { return may_be_hubs(in, k); }, in.before_runs());
    const edge_outcome counts =
        base::updates.batch.kind == update_kind::insert ? edge_outcome::insert : edge_outcome::erase;
    const std::uint64_t before = first == 0 ? sorted.format.dropped : sorted.keys[first - 1];
    tile.strided(held, [&](std::size_t k) {
      const std::uint32_t vertex = source(in, static_cast<std::uint32_t>(k));
      const bool begins_here =
          vertex != sorted.format.source(before) && (k < stretch || vertex == source(in, stretch - 1));
      if (begins_here && in.keys[k] != sorted.format.dropped) {
        hubs.outcomes[first + k] = in.repeats.counts(k) ? counts : edge_outcome::nothing;
      }
    });
  }

  /// Whether key k is of a vertex with several updates, as each of a hub's is.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool may_be_hubs(const room& in, std::uint32_t k) const {
    constexpr std::uint32_t apart = hub_list::min_updates / 2;
    const std::uint32_t vertex = source(in, k);
    return (k >= apart && source(in, k - apart) == vertex) || (k + apart < held && source(in, k + apart) == vertex);
  }

  /// A run that has been gathered.
  [[nodiscard]] MANGROVE_HOST_DEVICE vertex_run run_of(const room& in, std::size_t first, const found& of) const {
    const std::uint64_t kept = in.keys[of.at];
    return {static_cast<std::uint32_t>(kept >> 32), static_cast<std::uint32_t>(first) + of.at, of.count,
            static_cast<std::uint32_t>(kept)};
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t source(const room& in, std::uint32_t k) const {
    return sorted.format.source(in.keys[k]);
  }

  /// Lists where vertices' keys begin.
  template <class Tile>
  MANGROVE_HOST_DEVICE void find_runs(const Tile& tile, room& in, std::size_t first) const {
    tile.strided(stretch, [&](std::size_t k) {
      if (in.keys[k] == sorted.format.dropped) return;
      const std::uint32_t vertex = sorted.format.source(in.keys[k]);
      const bool follows = k != 0 ? sorted.format.source(in.keys[k - 1]) == vertex
                                  : first != 0 && sorted.format.source(sorted.keys[first - 1]) == vertex;
      if (follows) return;
      prefetch_early(base::graph.entries + vertex);
      in.runs[fetch_add(&in.count, 1U)].at = static_cast<std::uint16_t>(k);
    });
  }

  /// Keys of the vertex whose first one is key k.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint8_t count_keys(const room& in, std::uint32_t k) const {
    const std::uint32_t vertex = source(in, k);
    std::uint32_t count = 1;
    while (count <= max_run_steps && source(in, k + count) == vertex) ++count;
    return static_cast<std::uint8_t>(count);
  }

  /// Writes the last update on each edge of a vertex and finds out where its run goes; or lists a hub.
  template <class Lane>
  MANGROVE_HOST_DEVICE void gather(const Lane& lane, room& in, std::size_t first, found& of) const {
    const std::uint32_t vertex = source(in, of.at);
    const vertex_entry old = base::graph.entries[vertex];
    const bool has_table = entry_layout<Bits>::kind(old) == adjacency_kind::hash;
    const std::uint32_t most = has_table ? most_in_table : max_run_steps;
    of.to = nowhere;
    const auto begin = static_cast<std::uint32_t>(first + of.at);
    if (of.count > most) return list_hub(in, first, vertex, begin);
    const std::uint32_t count = keep_edges(in, of);
    if (count > vertex_run::max_updates) return list_hub(in, first, vertex, begin);
    for (std::uint32_t k = 0; k < count; ++k) {
      targets[begin + k] = sorted.format.target(in.keys[of.at + k]);
      if (sequences != nullptr) sequences[begin + k] = sorted.format.sequence(in.keys[of.at + k]);
    }
    const auto run = base::sort_out(lane, in.counted, {vertex, begin, count, vertex_run::in_place}, old);
    in.keys[of.at] = std::uint64_t{vertex} << 32 | run.run.plan;  // the key has been written
    of.count = static_cast<std::uint8_t>(count);
    of.to = static_cast<std::uint8_t>(run.to);
  }

  /// Keeps one key of each edge that a vertex's updates name. @return how many edges, or more than a run has
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t keep_edges(room& in, const found& of) const {
    std::uint64_t* const keys = in.keys + of.at;
    if (!in.knows_repeats || of.count <= hub_list::min_updates) return keep_last(keys, of.count);
    const std::uint32_t edges = in.repeats.count(of.at, of.at + of.count);
    if (edges > vertex_run::max_updates) return edges;
    for (std::uint32_t k = 0, kept = 0; kept < edges; ++k) {
      if (in.repeats.counts(of.at + k)) keys[kept++] = keys[k];
    }
    return edges;
  }

  /// Keeps the last key of each edge. @return how many there are, or one more than a run has
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t keep_last(std::uint64_t* keys, std::uint32_t size) const {
    std::uint32_t count = 0;
    target_filter seen;
    for (std::uint32_t k = 0; k < size && count <= vertex_run::max_updates; ++k) {
      const std::uint32_t target = sorted.format.target(keys[k]);
      std::uint32_t at = seen.add(target) ? 0 : count;
      while (at < count && sorted.format.target(keys[at]) != target) ++at;
      keys[at] = keys[k];
      if (at == count) ++count;
    }
    return count;
  }

  /// Edges that the updates of a hub name, if that is known; else 0.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t count_edges(const room& in, std::size_t first, std::size_t begin,
                                                               std::size_t end) const {
    if (!in.knows_repeats || end > first + held) return 0;
    return in.repeats.count(static_cast<std::uint32_t>(begin - first), static_cast<std::uint32_t>(end - first));
  }

  /// @param first key of the stretch @param begin of the hub's keys
  MANGROVE_HOST_DEVICE void list_hub(room& in, std::size_t first, std::uint32_t vertex, std::uint32_t begin) const {
    const std::size_t end = sorted.end_of(begin, vertex);
    const auto count = static_cast<std::uint32_t>(end - begin);
    const std::uint32_t distinct = count_edges(in, first, begin, end);
    const std::uint32_t number = hubs.put(vertex, begin, count, distinct);
    if (distinct != 0) return;
    const hub_list::range of = hubs.take_pieces(number, count);
    if (of.count > few_pieces) {
      in.long_hubs[fetch_add(&in.many_updates, 1U)] = of;
    } else {
      hubs.put_pieces(of);
    }
  }
};

}  // namespace mangrove::detail
