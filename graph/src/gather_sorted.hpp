#pragma once

#include "block_hubs.hpp"
#include "mangrove/core/prefetch.hpp"
#include "sorted_runs.hpp"

namespace mangrove::detail {

/// Body: gathers the runs that begin in a stretch of sorted keys. Lanes share the vertices; hubs are listed. Repeats
/// are found, unless a hub has updates in another stretch.
template <class Bits>
struct gather_sorted : block_hubs<Bits, 4096> {
  using base = block_hubs<Bits, 4096>;
  using base::held, base::nowhere, base::sequences, base::targets;
  /// Keys that are a tile's own; it holds more, so that all updates of most hubs that begin among them are there.
  static constexpr std::size_t stretch = held - 512;
  static_assert(held - stretch >= max_run_steps);

  sorted_keys sorted;

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
    typename base::hub_room hubs;
    typename base::counters counted;
    std::uint32_t count;  ///< of runs
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
    if (tile.lane() == 0) in.count = in.hubs.count_long = 0;
    tile.strided(held, [&](std::size_t k) {
      in.keys[k] = first + k < sorted.count ? load_once(sorted.keys + first + k) : sorted.format.dropped;
    });
    tile.sync();
    const bool knows_repeats = finds_repeats(in);
    if (tile.lane() == 0) in.knows_repeats = knows_repeats;
    if (knows_repeats) find_repeats(tile, in, first);
    find_runs(tile, in, first);
    put_updates(tile, in, first);
    tile.sync();
    tile.strided(in.count, [&](std::size_t k) { in.runs[k].count = count_keys(in, in.runs[k].at); });
    tile.sync();  // from here on lanes change keys
    tile.strided(in.count, [&](std::size_t k) { gather(in, first, in.runs[k]); });
    base::list_all(
        tile, in.counted, in.count, [&](std::size_t k) { return in.runs[k].to; },
        [&](std::size_t k) { return run_of(in, first, in.runs[k]); }, [] {}, [](auto...) {});
    base::list_long_hubs(tile, in.hubs);
  }

 private:
  static constexpr std::uint32_t no_vertex = ~std::uint32_t{0};  ///< what a dropped key may be taken for

  /// Whether repeats are found: not where no hub can be in this stretch alone.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool finds_repeats(const room& in) const {
    return base::all_alike() && source(in, 0) != source(in, stretch - 1);
  }

  /// Tells of each update whether it repeats another one in the stretch.
  template <class Tile>
  MANGROVE_HOST_DEVICE void find_repeats(const Tile& tile, room& in, std::size_t first) const {
    in.hubs.repeats.find(
        tile, in.keys, held, [&](std::uint32_t k) { return may_be_hubs(in, k); }, in.before_runs());
    const std::uint64_t before = first == 0 ? sorted.format.dropped : sorted.keys[first - 1];
    tile.strided(held, [&](std::size_t k) {
      const std::uint32_t vertex = source(in, static_cast<std::uint32_t>(k));
      const bool begins_here =
          vertex != sorted.format.source(before) && (k < stretch || vertex == source(in, stretch - 1));
      if (begins_here && in.keys[k] != sorted.format.dropped) {
        base::put_outcome(first + k, in.hubs.repeats.counts(k));
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

  MANGROVE_HOST_DEVICE void put_update(std::size_t at, std::uint64_t key) const {
    targets[at] = sorted.format.target(key);
    if (sequences != nullptr) sequences[at] = sorted.format.sequence(key);
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

  /// Writes the updates that are the tile's to write: a run's are whoever's it begins with, since some may be written
  /// again; those that are certain to be a hub's are the stretch's where they stand.
  template <class Tile>
  MANGROVE_HOST_DEVICE void put_updates(const Tile& tile, const room& in, std::size_t first) const {
    const std::uint32_t before = first == 0 ? no_vertex : sorted.format.source(sorted.keys[first - 1]);
    const bool goes_on_as_hub = first != 0 && sorted.format.source(sorted.keys[first - max_run_steps]) == before;
    const std::uint32_t last = source(in, stretch - 1);
    const bool ends_in_hub = source(in, stretch - max_run_steps) == last;
    tile.strided(stretch + max_run_steps, [&](std::size_t k) {
      if (in.keys[k] == sorted.format.dropped) return;
      const std::uint32_t vertex = source(in, static_cast<std::uint32_t>(k));
      const bool mine = vertex == before ? k < stretch && (k >= max_run_steps || goes_on_as_hub)
                                         : k < stretch || (vertex == last && !ends_in_hub);
      if (mine) put_update(first + k, in.keys[k]);
    });
  }

  /// Keys of the vertex whose first one is key k.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint8_t count_keys(const room& in, std::uint32_t k) const {
    const std::uint32_t vertex = source(in, k);
    std::uint32_t count = 1;
    while (count <= max_run_steps && source(in, k + count) == vertex) ++count;
    return static_cast<std::uint8_t>(count);
  }

  /// Writes the last update on each edge of a vertex, if some repeat others, and finds out where its run goes; or lists
  /// a hub.
  MANGROVE_HOST_DEVICE void gather(room& in, std::size_t first, found& of) const {
    const std::uint32_t vertex = source(in, of.at);
    const vertex_entry old = base::graph.entries[vertex];
    of.to = nowhere;
    const auto begin = static_cast<std::uint32_t>(first + of.at);
    if (base::is_hub(old, of.count)) return list_hub(in, first, vertex, begin);
    const std::uint32_t count = keep_edges(in, of);
    if (count > base::most_in_run(old)) return list_hub(in, first, vertex, begin);
    base::note_length(count);
    for (std::uint32_t k = 0; count != of.count && k < count; ++k) put_update(begin + k, in.keys[of.at + k]);
    const auto run = base::sort_out(in.counted, {vertex, begin, count, vertex_run::in_place}, old);
    in.keys[of.at] = std::uint64_t{vertex} << 32 | run.run.plan;  // the key has been written
    of.count = static_cast<std::uint8_t>(count);
    of.to = static_cast<std::uint8_t>(run.to);
  }

  /// Keeps one key of each edge that a vertex's updates name. @return how many edges, or more than a run has
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t keep_edges(room& in, const found& of) const {
    std::uint64_t* const keys = in.keys + of.at;
    if (!in.knows_repeats || of.count <= hub_list::min_updates) return keep_last(keys, of.count);
    const stretch_repeats<held>& repeats = in.hubs.repeats;
    const std::uint32_t edges = repeats.count(of.at, of.at + of.count);
    if (edges == of.count) return edges;
    base::keep(keys, edges, [&](std::uint32_t k) { return repeats.counts(of.at + k); });
    return edges;
  }

  /// Keeps the last key of each edge. @return how many there are, or one more than any run has
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t keep_last(std::uint64_t* keys, std::uint32_t size) const {
    std::uint32_t count = 0;
    target_filter seen;
    for (std::uint32_t k = 0; k < size && count <= base::most_inserts; ++k) {
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
    return in.hubs.repeats.count(static_cast<std::uint32_t>(begin - first), static_cast<std::uint32_t>(end - first));
  }

  /// @param first key of the stretch @param begin of the hub's keys
  MANGROVE_HOST_DEVICE void list_hub(room& in, std::size_t first, std::uint32_t vertex, std::uint32_t begin) const {
    const std::size_t end = sorted.end_of(begin, vertex);
    const std::uint32_t distinct = count_edges(in, first, begin, end);
    base::list_hub(in.hubs, vertex, begin, static_cast<std::uint32_t>(end - begin), distinct);
  }
};

}  // namespace mangrove::detail
