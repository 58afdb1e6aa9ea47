#pragma once

#include "block_runs.hpp"
#include "hub_list.hpp"
#include "stretch_repeats.hpp"

namespace mangrove::detail {

/// What the bodies have in common in which a tile with scratch gathers runs from keys that stand by vertex, some of
/// which may be hubs. Hubs are listed, and pieces of them. Where all updates are alike, it is found out here which
/// updates of a hub repeat others: keys are in fast memory now, and each that is looked up later would be an access to
/// memory.
/// @tparam Keys that a tile has at most
template <class Bits, std::uint32_t Keys>
struct block_hubs : block_runs<Bits, run_planning::later> {
  using base = block_runs<Bits, run_planning::later>;
  using base::sequences, base::status, base::targets;
  static constexpr int width = 512;
  static constexpr int blocks_at_once = 3;
  static constexpr std::uint32_t held = Keys;
  /// Inserts into a hash table at most that make a run: lanes share those of several, so that more than of other
  /// updates take less time than as a hub's.
  static constexpr std::uint32_t most_inserts = 48;
  /// Pieces of a hub that its lane lists by itself.
  static constexpr std::uint32_t few_pieces = 4;

  hub_list hubs;

  /// What a tile knows of hubs.
  struct hub_room {
    stretch_repeats<held> repeats;
    hub_list::range long_hubs[held / (few_pieces * hub_piece::least_updates) + 1];
    std::uint32_t count_long;
  };

  /// Whether repeats can be found: where order matters, the last update counts, not any.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool all_alike() const { return sequences == nullptr; }

  [[nodiscard]] MANGROVE_HOST_DEVICE static bool has_table(const vertex_entry& old) {
    return entry_layout<Bits>::kind(old) == adjacency_kind::hash;
  }

  /// Updates at most that a vertex's run has, one for each edge.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t most_in_run(const vertex_entry& old) const {
    const bool inserts = all_alike() && base::updates.batch.kind == update_kind::insert;
    return inserts && has_table(old) ? most_inserts : vertex_run::max_updates;
  }

  /// Whether a vertex with so many updates is a hub whatever they are.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool is_hub(const vertex_entry& old, std::uint32_t updates) const {
    return updates > (has_table(old) ? most_in_run(old) : max_run_steps);
  }

  /// Notes a run that is longer than those of other ways of grouping.
  MANGROVE_HOST_DEVICE void note_length(std::uint32_t updates) const {
    if (updates > vertex_run::max_updates) store_relaxed(&status->long_runs, 1U);
  }

  /// What the update at place `at` among all comes to, as far as can be told: `nothing` if it repeats another.
  MANGROVE_HOST_DEVICE void put_outcome(std::size_t at, bool counts) const {
    const edge_outcome outcome =
        base::updates.batch.kind == update_kind::insert ? edge_outcome::insert : edge_outcome::erase;
    hubs.outcomes[at] = counts ? outcome : edge_outcome::nothing;
  }

  /// Keeps keys that count. @param count how many do; nothing is kept of more than any run has
  template <class Counts>
  MANGROVE_HOST_DEVICE static void keep(std::uint64_t* keys, std::uint32_t count, Counts counts) {
    if (count > most_inserts) return;
    for (std::uint32_t k = 0, kept = 0; kept < count; ++k) {
      if (counts(k)) keys[kept++] = keys[k];
    }
  }

  /// Lists a hub. @param distinct edges that its updates name, if that is known; else 0
  MANGROVE_HOST_DEVICE void list_hub(hub_room& in, std::uint32_t vertex, std::uint32_t first, std::uint32_t count,
                                     std::uint32_t distinct) const {
    const std::uint32_t number = hubs.put(vertex, first, count, distinct);
    if (distinct != 0) return;
    const hub_list::range of = hubs.take_pieces(number, count);
    if (of.count > few_pieces) {
      in.long_hubs[fetch_add(&in.count_long, 1U)] = of;
    } else {
      hubs.put_pieces(of);
    }
  }

  /// Lists the pieces of long hubs, whose edges are not counted. All lanes together, once they have met.
  template <class Tile>
  MANGROVE_HOST_DEVICE void list_long_hubs(const Tile& tile, const hub_room& in) const {
    for (std::uint32_t k = 0; k < in.count_long; ++k) {
      const hub_list::range of = in.long_hubs[k];
      tile.strided_briefly(of.count, [&](std::size_t part) { hubs.put_piece(of, static_cast<std::uint32_t>(part)); });
      if (all_alike()) hubs.clear_named(tile, of.hub);
    }
  }
};

}  // namespace mangrove::detail
