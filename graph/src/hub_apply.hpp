#pragma once

#include "hub_publish.hpp"
#include "hub_updates.hpp"

/// @file
/// Changing the tables of hubs, once these are where they will be. Each body runs in a launch of its own, in this
/// order: erases first, since inserts must not search beside them. The last one publishes the tables.

namespace mangrove::detail {

/// The launches that change tables of hubs: one that others follow, or the last one, for updates of some kind.
enum class hub_launch { before_inserts, last_erases, last_inserts };

/// What the bodies that change a hub's table have in common.
template <class Bits>
struct hub_changes : hub_updates<Bits> {
  using base = hub_updates<Bits>;
  using base::graph, base::list;
  using typename base::table;
  static constexpr int blocks_at_once = 4;  ///< lanes wait for memory most of the time

  hub_publisher<Bits> publisher;

  [[nodiscard]] MANGROVE_HOST_DEVICE bool goes() const { return publisher.status->ready(publisher.terms); }

  /// The entry that the hub will have, but for what is counted; the dictionary may not have it yet.
  [[nodiscard]] MANGROVE_HOST_DEVICE vertex_entry entry_of(const hub& of) const {
    return of.plan != vertex_run::in_place ? publisher.plans[of.plan].moved(publisher.pool) : of.old;
  }

  /// Gives the edge at `where` the weight of an update.
  MANGROVE_HOST_DEVICE void set_weight(const table& in, const typename table::position& where, std::uint32_t at) const {
    if constexpr (!is_none<Bits>) {
      in.values(where.bucket)[where.slot] =
          publisher.weights == nullptr ? Bits{} : publisher.weights[base::sequence(at)];
    }
  }

  /// Calls `f(table, update)`, which gives the outcome of an update, for those of a piece of a hub whose table is
  /// changed where it is, and counts them where they were not counted before.
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void change_piece(const Tile& tile, std::size_t i, hub_counts& made, hub_launch which,
                                         F f) const {
    if (!goes()) return;
    const hub_piece piece = list.placed_pieces[i];
    hub& counted = list.hubs[piece.hub];
    const hub of = counted;  // which is not read again each time that something is written
    const table in = graph.table_of(entry_of(of));
    base::for_each(tile, piece, of, in, [&](const typename base::update& one) {
      const edge_outcome outcome = f(in, of, one);
      if (of.is_decided()) return;
      made.add(outcome);
      if (one.target == of.vertex && outcome != edge_outcome::nothing) made.loop = outcome;
    });
    if (which == hub_launch::before_inserts) return made.book(tile, counted);
    const update_kind kind = which == hub_launch::last_inserts ? update_kind::insert : update_kind::erase;
    const auto left = hub_tally::suits(of.count) ? end_small(tile, counted, of.count, made, kind)
                                                 : end_piece(tile, counted, of.count, made);
    left.list(tile, publisher.pieces, piece.hub);
  }

 private:
  using range = typename hub_publisher<Bits>::range;

  /// Publishes the hub if all other pieces have been changed. @param updates of the hub @param made of the piece
  template <class Tile>
  MANGROVE_HOST_DEVICE range end_small(const Tile& tile, hub& of, std::uint32_t updates, const hub_counts& made,
                                       update_kind kind) const {
    const hub_tally piece(tile, made);
    return tile.elect([&] {
      const hub_tally all = piece.add_to(&of.applied);
      return all.pieces() == hub_piece::count_for(updates) ? publisher.publish(of, all.counts(kind)) : range{};
    });
  }

  /// The same for a hub with any number of updates.
  template <class Tile>
  MANGROVE_HOST_DEVICE range end_piece(const Tile& tile, hub& of, std::uint32_t updates, const hub_counts& made) const {
    made.book(tile, of);
    tile.sync();
    return tile.elect(
        [&] { return arrive(&of.applied) + 1 == hub_piece::count_for(updates) ? publisher.publish(of, {}) : range{}; });
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
    const bool only_erases = batch.kinds == nullptr && batch.kind == update_kind::erase;
    const hub_launch which = only_erases ? hub_launch::last_erases : hub_launch::before_inserts;
    base::change_piece(tile, i, made, which, [&](const table& in, const hub& of, const typename base::update& one) {
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
    const hub_launch which = hub_launch::last_inserts;
    base::change_piece(tile, i, made, which, [&](const table& in, const hub& of, const typename base::update& one) {
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

}  // namespace mangrove::detail
