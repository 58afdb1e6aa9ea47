#pragma once

#include "edge_sort.hpp"
#include "gather_runs.hpp"
#include "mangrove/core/bits.hpp"
#include "mangrove/core/load_row.hpp"
#include "update_admission.hpp"

/// @file
/// The way of large batches from updates to runs: sort keys, then runs of neighbouring keys.

namespace mangrove::detail {

/// Body: turns update i, in both directions if it is undirected, into sort keys.
struct key_updates : update_admission {
  sort_format format;
  std::uint64_t* keys;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const std::uint32_t u = updates.batch.sources[i];
    const std::uint32_t v = updates.batch.targets[i];
    const bool counts = admit(i, u, v);
    const std::uint32_t sequence = format.sequence_bits == 0 ? 0 : static_cast<std::uint32_t>(i);
    if (updates.direction == edge_direction::directed) {
      keys[i] = counts ? format.key(u, v, sequence) : format.dropped();
    } else {
      const std::uint64_t both[2] = {counts ? format.key(u, v, sequence) : format.dropped(),
                                     counts && u != v ? format.key(v, u, sequence) : format.dropped()};
      store_row(keys + 2 * i, both);
    }
  }
};

/// What the bodies that gather runs of sorted keys have in common. Sorting is stable, so of the updates on one edge the
/// last one stands last.
template <class Bits>
struct sorted_runs : run_lists<Bits> {
  sort_format format;
  const std::uint64_t* keys;
  std::size_t count;
  std::uint32_t* long_runs;  ///< gets where runs begin that a tile of lanes gathers

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t source(std::size_t at) const {
    return key_source(format.edge(keys[at]));
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t target(std::size_t at) const {
    return key_target(format.edge(keys[at]));
  }

  /// Whether a run begins at key `at`.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool begins(std::size_t at) const {
    return at < count && keys[at] != format.dropped() && (at == 0 || source(at - 1) != source(at));
  }

  /// Whether key `at` is of a vertex.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool is_of(std::size_t at, std::uint32_t vertex) const {
    return at < count && source(at) == vertex;  // a dropped key's source is no vertex
  }

  /// Writes what key `from` says as update `to` of the gathered ones.
  MANGROVE_HOST_DEVICE void write(std::uint32_t to, std::uint32_t target, std::size_t from) const {
    this->targets[to] = target;
    if (this->sequences != nullptr) this->sequences[to] = format.sequence(keys[from]);
  }

  /// Gathers the run that begins at key `first`: as many as a run has at most, or one more for a hub. Same result in
  /// every lane.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE vertex_run gather(const Tile& tile, std::uint32_t first) const {
    constexpr int rows = static_cast<int>(max_run_steps) / Tile::lanes;
    const std::uint32_t vertex = source(first);
    std::uint32_t distinct = vertex_run::max_updates + 1;
    if (!is_of(static_cast<std::size_t>(first) + max_run_steps, vertex)) {
      std::uint32_t own[rows];
      std::uint32_t steps = 0;
      for (int row = 0; row < rows && steps == static_cast<std::uint32_t>(row * Tile::lanes); ++row) {
        const std::size_t at = first + static_cast<std::size_t>(row) * Tile::lanes + tile.lane();
        steps += count_bits(tile.ballot(is_of(at, vertex)));
      }
      unrolled<rows>([&](int row) {
        const std::uint32_t at = row * Tile::lanes + tile.lane();
        own[row] = at < steps ? target(first + at) : 0;
      });
      distinct = place(tile, own, steps, first);
    }
    return {vertex, first, distinct, vertex_run::in_place};
  }

 private:
  /// Writes the last update on each edge. @return how many there are
  template <class Tile, int Rows>
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t place(const Tile& tile, const std::uint32_t (&own)[Rows],
                                                         std::uint32_t steps, std::uint32_t first) const {
    bool last[Rows];
    unrolled<Rows>([&](int row) { last[row] = static_cast<std::uint32_t>(row * Tile::lanes + tile.lane()) < steps; });
    unrolled<Rows>([&](int other_row) {
      const std::uint32_t before = other_row * Tile::lanes;
      for (std::uint32_t lane = 0; lane < Tile::lanes && before + lane < steps; ++lane) {
        const std::uint32_t other = tile.broadcast(own[other_row], static_cast<int>(lane));
        unrolled<Rows>([&](int row) {
          if (row > other_row) return;
          const bool earlier = static_cast<std::uint32_t>(row * Tile::lanes + tile.lane()) < before + lane;
          last[row] = last[row] && !(earlier && own[row] == other);
        });
      }
    });
    std::uint32_t distinct = 0;
    unrolled<Rows>([&](int row) {
      if (static_cast<std::uint32_t>(row * Tile::lanes) >= steps) return;
      const std::uint32_t kept = tile.ballot(last[row]);
      const std::uint32_t at = distinct + count_bits(kept & ((std::uint32_t{1} << tile.lane()) - 1));
      if (last[row]) write(first + at, own[row], first + row * Tile::lanes + tile.lane());
      distinct += count_bits(kept);
    });
    return distinct;
  }
};

/// Body: gathers the runs that begin at sorted keys i, i + calls, i + 2 calls and so on: several a call, so that few
/// atomics number them. Longer ones are left to `gather_long`.
template <class Bits>
struct gather_sorted : sorted_runs<Bits> {
  using base = sorted_runs<Bits>;
  using base::status;
  static constexpr int runs = 2;
  /// Updates of a run that are held in registers.
  static constexpr int held = 8;

  std::size_t calls;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    typename base::sorted_run sorted[runs] = {};
    unrolled<runs>([&](int k) {
      const std::size_t at = k * calls + i;
      if (base::begins(at)) sorted[k] = gather_short(at);
    });
    base::list(sorted);
  }

 private:
  [[nodiscard]] MANGROVE_HOST_DEVICE typename base::sorted_run gather_short(std::size_t at) const {
    const std::uint32_t vertex = base::source(at);
    const auto first = static_cast<std::uint32_t>(at);
    if (base::is_of(at + held, vertex)) {
      base::long_runs[count_up_one(&status->long_runs)] = first;
      return {};
    }
    std::uint32_t steps = 0;
    std::uint32_t own[held];
    unrolled<held>([&](int k) {
      const bool mine = base::is_of(at + k, vertex);
      own[k] = mine ? base::target(at + k) : 0;
      steps += mine ? 1 : 0;
    });
    std::uint32_t distinct = 0;
    unrolled<held>([&](int k) {
      bool last = static_cast<std::uint32_t>(k) < steps;
      unrolled<held>([&](int later) {
        last = last && !(later > k && static_cast<std::uint32_t>(later) < steps && own[later] == own[k]);
      });
      if (last) base::write(first + distinct++, own[k], at + k);
    });
    return base::sort({vertex, first, distinct, vertex_run::in_place});
  }
};

/// Body: gathers some long runs: the lanes gather each of them together, then each lane has one to sort out.
template <class Bits>
struct gather_long : sorted_runs<Bits> {
  using base = sorted_runs<Bits>;
  using base::long_runs, base::status;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::size_t end = status->long_runs;
    const int share = runs_of_tile<Tile>(end);
    const std::size_t first = i * share;
    if (first >= end) return;
    vertex_run mine{};
    for (int lane = 0; lane < share && first + lane < end; ++lane) {
      const vertex_run run = base::gather(tile, long_runs[first + lane]);
      if (tile.lane() == lane) mine = run;
    }
    tile.sync();  // each lane reads what all have written
    typename base::sorted_run sorted[1] = {};
    if (mine.count != 0) sorted[0] = base::sort(mine);
    base::list(sorted);
  }
};

}  // namespace mangrove::detail
