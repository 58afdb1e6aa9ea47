#pragma once

#include "hub.hpp"
#include "mangrove/core/hash.hpp"
#include "mangrove/core/relaxed_atomic.hpp"
#include "run_keys.hpp"

namespace mangrove::detail {

/// The hubs of a batch and what was found out about their updates, which are named by their places among the
/// gathered ones. In the backend's memory.
struct hub_list {
  hub* hubs;
  hub_piece* pieces;
  hub_piece* placed_pieces;                    ///< those of hubs whose tables are changed where they are
  edge_outcome* outcomes;                      ///< by update
  std::uint32_t* slots;                        ///< by update: where its edge is named, if positions matter
  std::uint32_t* named;                        ///< tables of the edges that are named, two slots for each update
  std::uint32_t* last;                         ///< by slot: one more than the last position, if positions matter
  std::uint32_t* tables[scratch_table_sizes];  ///< numbers of the hubs whose tables are changed in scratch, by size
  std::uint32_t first_plan;                    ///< number of that of the first hub
  batch_status* status;

  static constexpr std::uint32_t unnamed = ~std::uint32_t{0};  ///< no vertex has this number

  /// No hub has fewer updates; so there are at most an eighth as many hubs, and pieces, as updates. Repeats among more
  /// updates of a vertex are found by its tile together.
  static constexpr std::uint32_t min_updates = 8;

  /// Updates of a hub from which its table of named edges is not emptied where it is found.
  static constexpr std::uint32_t most_cleared_early = std::uint32_t{1} << 14;

  /// Where the pieces of a hub are listed.
  struct range {
    std::uint32_t hub;
    std::uint32_t first;
    std::uint32_t count;
  };

  /// Lists a hub, without its pieces. The caller lists those if its edges are not counted, for they may have to be
  /// named; else `begin_hub` does where more has to be found out.
  /// @param distinct edges that its updates name, if the outcomes of those that repeat another are `nothing`; else 0
  /// @return its number
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t put(std::uint32_t vertex, std::uint32_t first, std::uint32_t count,
                                                       std::uint32_t distinct) const {
    const std::uint32_t number = count_up_one(&status->hubs);
    if (count > vertex_run::max_updates) store_relaxed(&status->long_runs, 1U);
    hub made{};
    made.vertex = vertex;
    made.first = first;
    made.count = count;
    made.distinct = distinct;
    hubs[number] = made;
    return number;
  }

  /// Takes room for the pieces of a hub with so many updates. The caller lists them.
  [[nodiscard]] MANGROVE_HOST_DEVICE range take_pieces(std::uint32_t number, std::uint32_t updates) const {
    const std::uint32_t parts = hub_piece::count_for(updates);
    return {number, count_up_by(&status->hub_pieces, parts), parts};
  }

  MANGROVE_HOST_DEVICE void put_piece(const range& of, std::uint32_t part) const {
    pieces[of.first + part] = {of.hub, part};
  }

  /// Empties the table in which a hub's edges are named, unless that is more work than listing the hub. Called by all
  /// lanes.
  template <class Tile>
  MANGROVE_HOST_DEVICE void clear_named(const Tile& tile, std::uint32_t number) const {
    hub& of = hubs[number];
    if (of.count >= most_cleared_early) return;
    const std::size_t begin = 2 * std::size_t{of.first};
    tile.strided_briefly(2 * of.count, [&](std::size_t k) { named[begin + k] = unnamed; });
    if (tile.lane() == 0) of.is_clear = 1;
  }

  /// Lists them all, by one lane.
  MANGROVE_HOST_DEVICE void put_pieces(const range& of) const {
    for (std::uint32_t part = 0; part < of.count; ++part) put_piece(of, part);
  }

  /// Lists a hub for being changed in scratch if its table is small enough. @return whether it is
  /// @param granules of its table
  /// @param most_slabs that pay: the table is written whole, and if it stays where it is, read whole
  MANGROVE_HOST_DEVICE bool put_table(std::uint32_t number, std::uint32_t granules, std::uint32_t most_slabs) const {
    const std::uint32_t slabs = granules / granules_per_slab;
    const std::uint32_t size = scratch_size_for(slabs);
    if (slabs > most_slabs || size == scratch_table_sizes) return false;
    tables[size][count_up(&status->hub_tables[size])] = number;
    return true;
  }

  /// Lists the pieces of a hub whose table is changed where it is.
  template <class Tile>
  MANGROVE_HOST_DEVICE void put_placed(const Tile& tile, std::uint32_t number, std::uint32_t updates) const {
    const std::uint32_t parts = hub_piece::count_for(updates);
    const std::uint32_t first = tile.elect([&] { return fetch_add(&status->placed_pieces, parts); });
    tile.strided(parts, [&](std::size_t part) {
      placed_pieces[first + part] = {number, static_cast<std::uint32_t>(part)};
    });
  }

  /// Whether an update is the one on its edge that comes to something, where all are alike. Asked once for each.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool is_first(const hub& of, std::uint32_t at, std::uint32_t target) const {
    if (of.distinct != 0) return outcomes[at] != edge_outcome::nothing;
    bool is_new = false;
    name(of, target, is_new);
    return is_new;
  }

  /// Names the edge of a hub's update.
  /// @return its slot
  /// @param is_new is set where nobody has named it before
  MANGROVE_HOST_DEVICE std::size_t name(const hub& of, std::uint32_t target, bool& is_new) const {
    return name_among(2 * std::size_t{of.first}, 2 * of.count, target, is_new);
  }

  /// Whether an update is the first to name an edge that was there before the batch, where a sample of the hub's
  /// updates was looked at.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool is_first_on_known(const hub& of, std::uint32_t target) const {
    bool is_new = false;
    name_among(2 * std::size_t{of.first} + of.sample_words, of.known_slots, target, is_new);
    return is_new;
  }

  /// Whether an update is of the sample of its hub's, and the first one on its edge. Edges are marked by a bit each, of
  /// eight or more for each edge that is expected, so that of those that differ nearly all are told apart.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool is_first_in_sample(const hub& of, std::uint32_t target) const {
    const std::uint32_t hash = mix(target);
    if (hash % sample_share != 0) return false;
    const std::uint32_t bit = std::uint32_t{1} << (hash / sample_share % 32);
    std::uint32_t* const word = named + 2 * std::size_t{of.first} + reduce_range(hash, of.sample_words);
    return (fetch_or(word, bit) & bit) == 0;
  }

  /// A sample is one in so many edges.
  static constexpr std::uint32_t sample_share = 64;
  MANGROVE_HOST_DEVICE static constexpr std::uint32_t words_for_sample(std::uint32_t updates) {
    return updates / sample_share / 4;
  }

 private:
  /// @param begin of the slots to name it in
  MANGROVE_HOST_DEVICE std::size_t name_among(std::size_t begin, std::uint32_t slot_count, std::uint32_t target,
                                              bool& is_new) const {
    std::uint32_t at = reduce_range(mix(target), slot_count);
    while (true) {
      std::uint32_t seen = load_maybe_old(named + begin + at);
      if (seen == unnamed) seen = relaxed_compare_exchange(named + begin + at, std::uint32_t{unnamed}, target);
      is_new = seen == unnamed;
      if (is_new || seen == target) return begin + at;
      at = at + 1 == slot_count ? 0 : at + 1;
    }
  }
};

}  // namespace mangrove::detail
