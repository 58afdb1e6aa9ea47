#pragma once

#include "hub_updates.hpp"
#include "run_apply.hpp"

/// @file
/// Changing the tables of hubs, once these are where they will be. Each body runs in a launch of its own, in this
/// order: erases first, since inserts must not search beside them.

namespace mangrove::detail {

/// What the bodies that change a hub's table have in common.
template <class Bits>
struct hub_changes : hub_updates<Bits> {
  using base = hub_updates<Bits>;
  using base::graph, base::list;
  using typename base::table;
  static constexpr int blocks_at_once = 4;  ///< lanes wait for memory most of the time

  pool_ref pool;
  const run_plan* plans;
  const batch_status* status;
  change_terms terms;
  const Bits* weights;  ///< the batch's; null for zeros

  /// The entry that the hub will have, but for what is counted; the dictionary may not have it yet.
  [[nodiscard]] MANGROVE_HOST_DEVICE vertex_entry entry_of(const hub& of) const {
    return of.plan != vertex_run::in_place ? plans[of.plan].moved(pool) : of.old;
  }

  /// Gives the edge at `where` the weight of an update.
  MANGROVE_HOST_DEVICE void set_weight(const table& in, const typename table::position& where, std::uint32_t at) const {
    if constexpr (!is_none<Bits>) {
      in.values(where.bucket)[where.slot] = weights == nullptr ? Bits{} : weights[base::sequence(at)];
    }
  }

  /// Calls `f(table, update)`, which gives the outcome of an update, for those of a piece of a hub whose table is
  /// changed where it is, and counts them where they were not counted before.
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void change_piece(const Tile& tile, std::size_t i, hub_counts& made, F f) const {
    if (!status->ready(terms)) return;
    const hub_piece piece = list.placed_pieces[i];
    hub& counted = list.hubs[piece.hub];
    const hub of = counted;  // which is not read again each time that something is written
    const table in = graph.table_of(entry_of(of));
    base::for_each(tile, piece, of, in, [&](const typename base::update& one) {
      const edge_outcome outcome = f(in, of, one);
      if (of.is_decided()) return;
      made.add(outcome);
      if (one.target == of.vertex && outcome != edge_outcome::nothing) counted.loop = outcome;
    });
    made.book(tile, counted);
  }
};

/// Body: erases edges of a hub, or overwrites their weights, a piece of its updates at a time.
template <class Bits>
struct change_hub_edges : hub_changes<Bits> {
  using base = hub_changes<Bits>;
  using base::list;
  using typename base::table;

  indexed_updates batch;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    hub_counts made;
    const auto lane = tile.solo();
    base::change_piece(tile, i, made, [&](const table& in, const hub& of, const typename base::update& one) {
      const bool decided = of.is_decided();
      if (!decided && batch.kind == update_kind::insert) return edge_outcome::nothing;  // comes later
      const edge_outcome known = decided ? list.outcomes[one.at] : edge_outcome::nothing;
      const bool erases = decided ? known == edge_outcome::erase : list.is_first(of, one.at, one.target);
      if (!erases && (is_none<Bits> || known != edge_outcome::overwrite)) return edge_outcome::nothing;
      const auto where = in.template find<access::relaxed>(lane, one.target);
      if (!where) return edge_outcome::nothing;
      if (!erases) {
        base::set_weight(in, where, one.at);
        return edge_outcome::overwrite;
      }
      if (in.erase_at(lane, where)) ++made.tombstones;
      return edge_outcome::erase;
    });
  }
};

/// Body: inserts edges of a hub, a piece of its updates at a time.
template <class Bits>
struct insert_hub_edges : hub_changes<Bits> {
  using base = hub_changes<Bits>;
  using base::list;
  using typename base::table;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    hub_counts made;
    const auto lane = tile.solo();
    base::change_piece(tile, i, made, [&](const table& in, const hub& of, const typename base::update& one) {
      typename table::place where{};
      if (of.sample_words != 0) {
        where = in.find_or_place(lane, one.target);
        if (where.present && !is_known(lane, of, one.target)) return edge_outcome::nothing;
      } else if (!of.is_decided()) {
        if (!list.is_first(of, one.at, one.target)) return edge_outcome::nothing;
        where = in.find_or_insert(lane, one.target);
      } else {
        if (list.outcomes[one.at] != edge_outcome::insert) return edge_outcome::nothing;
        where.at = in.insert_absent(lane, one.target);
      }
      base::set_weight(in, where.at, one.at);
      if (where.present) return edge_outcome::overwrite;
      if (where.at.reused_tombstone) --made.tombstones;
      return edge_outcome::insert;
    });
  }

 private:
  /// Whether an edge that is in the new table was there before the batch, and no other update was found to name it.
  template <class Lane>
  [[nodiscard]] MANGROVE_HOST_DEVICE bool is_known(const Lane& lane, const hub& of, std::uint32_t target) const {
    return base::graph.contains(lane, of.vertex, target) && list.is_first_on_known(of, target);
  }
};

/// Body: the dictionary gets a hub's table. A hub of which hardly anything is left is listed piece by piece.
template <class Bits>
struct publish_hub : run_changes<Bits> {
  using base = run_changes<Bits>;
  using base::graph, base::plans, base::pool, base::status, base::terms;
  using typename base::layout;

  hub* hubs;
  table_task* pieces;
  std::uint32_t capacity;  ///< pieces that there is room for, at least one a hub

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    if (!status->ready(terms)) return;
    const auto number = static_cast<std::uint32_t>(i);
    const range left = tile.elect([&] { return publish(hubs[i]); });
    tile.strided(left.count, [&](std::size_t k) { pieces[left.first + k] = {number, static_cast<std::uint32_t>(k)}; });
  }

 private:
  /// Where the pieces of a hub are listed.
  struct range {
    std::uint32_t first;
    std::uint32_t count;
  };

  /// By one lane. @return where pieces are to be listed
  [[nodiscard]] MANGROVE_HOST_DEVICE range publish(hub& of) const {
    const vertex_entry old = of.old;
    const bool moves = of.plan != vertex_run::in_place;
    vertex_entry entry = moves ? plans[of.plan].moved(pool) : old;
    entry.degree = old.degree + of.inserted - of.erased;
    entry.words[2] += of.tombstones;
    graph.entries[of.vertex] = entry;
    if (moves && layout::kind(old) != adjacency_kind::inlined) base::give(old);
    count(edge_outcome::insert, of.inserted, of.loop);
    count(edge_outcome::overwrite, of.overwritten, of.loop);
    count(edge_outcome::erase, of.erased, of.loop);
    return entry.degree <= layout::inline_capacity ? take_pieces(of, entry) : range{};
  }

  MANGROVE_HOST_DEVICE void count(edge_outcome outcome, std::uint32_t edges, edge_outcome loop) const {
    const auto kind = static_cast<std::uint32_t>(outcome);
    count_up_by(&status->hub_outcomes[kind], edges);
    if (loop == outcome) count_up(&status->hub_loops[kind]);
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
