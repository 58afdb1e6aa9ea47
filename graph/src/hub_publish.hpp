#pragma once

#include "hub_tally.hpp"
#include "mangrove/core/relaxed_atomic.hpp"
#include "run_changes.hpp"

namespace mangrove::detail {

/// Gives vertices what their updates as hubs have come to: whoever has applied the last ones of a hub does that.
template <class Bits>
struct hub_publisher : run_changes<Bits> {
  using base = run_changes<Bits>;
  using base::graph, base::plans, base::pool, base::status;
  using typename base::layout;

  table_task* pieces;      ///< of the tables of hubs of which hardly anything is left
  std::uint32_t capacity;  ///< pieces that there is room for, at least one a hub

  /// Where the pieces of a hub's table are listed.
  struct range {
    std::uint32_t first;
    std::uint32_t count;

    /// Some of a tile's lanes list them.
    template <class Tile>
    MANGROVE_HOST_DEVICE void list(const Tile& tile, table_task* pieces, std::uint32_t number) const {
      tile.strided_briefly(count, [&](std::size_t k) { pieces[first + k] = {number, static_cast<std::uint32_t>(k)}; });
    }
  };

  /// Gives the dictionary the table of a hub all whose updates have been applied. By one lane, after all that others
  /// have counted of the hub. @param made what they have counted elsewhere
  /// @return where pieces of the table are to be listed in `pieces`
  [[nodiscard]] MANGROVE_HOST_DEVICE range publish(hub& of, const hub_counts& made) const {
    const std::uint32_t inserted = relaxed_load(&of.inserted) + made.inserted;  // not what the L1 cache has of it
    const std::uint32_t overwritten = relaxed_load(&of.overwritten) + made.overwritten;
    const std::uint32_t erased = relaxed_load(&of.erased) + made.erased;
    const std::uint32_t tombstones = relaxed_load(&of.tombstones) + made.tombstones;
    const edge_outcome loop = made.loop != edge_outcome::nothing ? made.loop : relaxed_load(&of.loop);
    const vertex_entry old = of.old;
    const bool moves = of.plan != vertex_run::in_place;
    vertex_entry entry = moves ? plans[of.plan].moved(pool) : old;
    entry.degree = old.degree + inserted - erased;
    entry.words[2] += tombstones;
    graph.entries[of.vertex] = entry;
    if (moves && layout::kind(old) != adjacency_kind::inlined) base::give(old);
    count(edge_outcome::insert, inserted, loop);
    count(edge_outcome::overwrite, overwritten, loop);
    count(edge_outcome::erase, erased, loop);
    return entry.degree <= layout::inline_capacity ? take_pieces(of, entry) : range{};
  }

 private:
  MANGROVE_HOST_DEVICE void count(edge_outcome outcome, std::uint32_t edges, edge_outcome loop) const {
    const auto kind = static_cast<std::uint32_t>(outcome);
    if (edges != 0) fetch_add(&status->outcomes.edges[kind], edges);
    if (loop == outcome) fetch_add(&status->outcomes.loops[kind], 1U);
  }

  /// The pieces are stretches of the table's buckets as long as is needed for all hubs' pieces to find room.
  [[nodiscard]] MANGROVE_HOST_DEVICE range take_pieces(hub& of, const vertex_entry& entry) const {
    const std::uint32_t buckets = graph.table_of(entry).buckets();
    const std::uint32_t share = capacity / status->hubs;
    const std::uint32_t least = (buckets + shrink_piece - 1) / shrink_piece;
    of.pieces = least < share ? least : share;
    of.left = 0;
    return {fetch_add(&status->shrinking, of.pieces), of.pieces};
  }

  /// Buckets that a tile looks through in no time.
  static constexpr std::uint32_t shrink_piece = 64;
};

}  // namespace mangrove::detail
