#pragma once

#include "edge_sort.hpp"
#include "gather_runs.hpp"
#include "mangrove/core/bits.hpp"
#include "mangrove/core/load_row.hpp"

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
    const bool counts = admit(updates.batch.kind_of(i), u, v);
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

/// What the bodies that gather runs of sorted keys have in common.
template <class Bits>
struct sorted_runs : run_lists<Bits> {
  sort_format format;
  const std::uint64_t* keys;
  std::size_t count;
  std::uint32_t* long_runs;  ///< gets where runs begin that a tile of lanes gathers

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t source(std::size_t at) const {
    return key_source(format.edge(keys[at]));
  }

  /// Whether key `at` is of a vertex.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool is_of(std::size_t at, std::uint32_t vertex) const {
    return at < count && source(at) == vertex && keys[at] != format.dropped();
  }

  /// Whether an update comes after another one on the same edge; where nothing depends on that, any order does.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool later(std::uint64_t key, std::uint64_t than, bool stands_later) const {
    return key > than || (key == than && stands_later);
  }

  MANGROVE_HOST_DEVICE void write(std::uint32_t at, std::uint64_t key) const {
    this->targets[at] = key_target(format.edge(key));
    if (this->sequences != nullptr) this->sequences[at] = format.sequence(key);
  }
};

/// Body: gathers the runs that begin at sorted keys i, i + calls, i + 2 calls and so on: several a call, so that few
/// atomics number them. Longer ones are left to `gather_long`.
template <class Bits>
struct gather_sorted : sorted_runs<Bits> {
  using base = sorted_runs<Bits>;
  using base::count, base::format, base::keys, base::source, base::status;
  static constexpr int runs = 4;
  /// Updates of a run that are held in registers.
  static constexpr int held = 4;

  std::size_t calls;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    typename base::sorted_run sorted[runs] = {};
    unrolled<runs>([&](int k) {
      const std::size_t at = k * calls + i;
      if (at < count && begins(at)) sorted[k] = gather(at);
    });
    for (std::uint32_t to = 0; to < base::destinations; ++to) base::list(sorted, to);
  }

 private:
  [[nodiscard]] MANGROVE_HOST_DEVICE bool begins(std::size_t at) const {
    return keys[at] != format.dropped() && (at == 0 || source(at - 1) != source(at));
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE typename base::sorted_run gather(std::size_t at) const {
    const std::uint32_t vertex = source(at);
    const auto first = static_cast<std::uint32_t>(at);
    if (base::is_of(at + held, vertex)) {
      base::long_runs[count_up_one(&status->long_runs)] = first;
      return {};
    }
    std::uint64_t own[held];
    unrolled<held>([&](int k) { own[k] = base::is_of(at + k, vertex) ? keys[at + k] : format.dropped(); });
    std::uint32_t distinct = 0;
    unrolled<held>([&](int k) {
      bool last = own[k] != format.dropped();
      unrolled<held>([&](int j) {
        last = last && !(format.edge(own[j]) == format.edge(own[k]) && j != k && base::later(own[j], own[k], j > k));
      });
      if (last) base::write(first + distinct++, own[k]);
    });
    return base::sort({vertex, first, distinct, vertex_run::in_place});
  }
};

/// Body: gathers long run i.
template <class Bits>
struct gather_long : sorted_runs<Bits> {
  using base = sorted_runs<Bits>;
  using base::format, base::keys, base::source;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    constexpr int rows = static_cast<int>(max_run_steps) / Tile::lanes;
    const std::uint32_t first = base::long_runs[i];
    const std::uint32_t vertex = source(first);
    std::uint64_t own[rows];
    std::uint32_t steps = 0;
    unrolled<rows>([&](int row) {
      const std::size_t at = first + static_cast<std::size_t>(row) * Tile::lanes + tile.lane();
      const bool mine = base::is_of(at, vertex);
      own[row] = mine ? keys[at] : format.dropped();
      steps += count_bits(tile.template match_rows<1>([&](int) { return mine; }));
    });
    std::uint32_t distinct = vertex_run::max_updates + 1;
    if (!base::is_of(static_cast<std::size_t>(first) + max_run_steps, vertex)) {
      drop_repeats(tile, own, steps);
      distinct = place(tile, own, first);
    }
    if (tile.lane() == 0) base::list_one(base::sort({vertex, first, distinct, vertex_run::in_place}));
  }

 private:
  /// Drops all but the last update on each edge.
  template <class Tile, int Rows>
  MANGROVE_HOST_DEVICE void drop_repeats(const Tile& tile, std::uint64_t (&own)[Rows], std::uint32_t steps) const {
    std::uint64_t all[Rows];
    unrolled<Rows>([&](int row) { all[row] = own[row]; });
    unrolled<Rows>([&](int other_row) {
      const std::uint32_t before = other_row * Tile::lanes;
      for (std::uint32_t lane = 0; lane < Tile::lanes && before + lane < steps; ++lane) {
        const std::uint64_t other = tile.broadcast(all[other_row], static_cast<int>(lane));
        const std::uint32_t other_at = before + lane;
        unrolled<Rows>([&](int row) {
          if (static_cast<std::uint32_t>(row * Tile::lanes) >= steps) return;
          const std::uint32_t at = row * Tile::lanes + tile.lane();
          if (at < steps && at != other_at && format.pair(other) == format.pair(all[row]) &&
              base::later(other, all[row], other_at > at)) {
            own[row] = format.dropped();
          }
        });
      }
    });
  }

  /// Writes the updates that are left, if they make a run. @return how many there are
  template <class Tile, int Rows>
  MANGROVE_HOST_DEVICE std::uint32_t place(const Tile& tile, const std::uint64_t (&own)[Rows],
                                           std::uint32_t first) const {
    std::uint32_t distinct = 0;
    unrolled<Rows>([&](int row) {
      const std::uint32_t kept = tile.template match_rows<1>([&](int) { return own[row] != format.dropped(); });
      const std::uint32_t mine = distinct + count_bits(kept & ((std::uint32_t{1} << tile.lane()) - 1));
      distinct += count_bits(kept);
      if ((kept >> tile.lane() & 1) != 0) base::write(first + mine, own[row]);
    });
    tile.sync();  // lane 0 reads the positions of all
    return distinct;
  }
};

}  // namespace mangrove::detail
