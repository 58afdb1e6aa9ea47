#pragma once

#include "hub_plan.hpp"
#include "hub_updates.hpp"
#include "mangrove/core/strided_in_steps.hpp"

/// @file
/// What is found out about the updates of hubs before their tables are planned. Each body runs in a launch of its own,
/// in this order.

namespace mangrove::detail {

/// Body: finds out whether a hub's table has room for all its updates as it is, or plans it for all of them if it may;
/// else it finds out what has to be known about them first.
template <class Bits>
struct begin_hub : hub_planner<Bits> {
  using base = hub_planner<Bits>;
  using base::list, base::rule, base::runs;
  using typename base::layout;

  adjacency_view<Bits> graph;
  hub_study study;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const auto number = static_cast<std::uint32_t>(i);
    hub& of = list.hubs[i];
    const vertex_entry old = graph.entries[of.vertex];
    of.plan = vertex_run::in_place;
    of.old = old;
    if (runs.sequences == nullptr && has_room(old, of.most_edges())) {
      if (!inserts()) runs.give(old.granules());  // it may shrink into the entry
      of.in_scratch = list.put_table(number, old.granules(), of.count) ? 1 : 0;
    } else if (!may_grow_by_all(old, of.most_edges())) {
      of.foresight = hub_foresight::outcomes;
    } else if (of.distinct != 0 || of.count <= old.degree) {
      of.bounded = 1;
      base::plan(of, number);
    } else if (study != hub_study::all && of.count >= sampled_from) {
      sample(of, old);
    } else {
      of.foresight = hub_foresight::names;
    }
    const bool can_tell_repeats = of.distinct != 0 || of.in_scratch != 0 || of.is_clear != 0;
    if (of.foresight == hub_foresight::nothing && can_tell_repeats) return;
    store_relaxed(&list.status->foreseen, 1U);  // or at least room to name edges in has to be cleared
    if (study == hub_study::none) return store_relaxed(&list.status->unforeseen, 1U);
    if (of.is_decided() && of.distinct != 0) {  // the others' are listed
      list.put_pieces(list.take_pieces(number, of.count));
    }
  }

 private:
  /// Updates of a hub from which a sample is large enough, and less work.
  static constexpr std::uint32_t sampled_from = std::uint32_t{1} << 14;

  [[nodiscard]] MANGROVE_HOST_DEVICE bool inserts() const { return runs.updates.batch.kind == update_kind::insert; }

  /// Whether the table may be planned as if all edges that updates name were new: to find out which ones are costs more
  /// than it saves, since even if none were, the table would be some three tenths full. That holds for so many edges,
  /// or for updates that are no more than the neighbours; more of them have to be counted, for some may repeat others.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool may_grow_by_all(const vertex_entry& old, std::uint32_t edges) const {
    if (runs.sequences != nullptr || !inserts() || layout::kind(old) == adjacency_kind::tree) return false;
    return old.degree + edges >= edges && old.degree + edges < rule.tree_from;
  }

  /// Has a sample of its updates looked at, which are more than its neighbours.
  MANGROVE_HOST_DEVICE static void sample(hub& of, const vertex_entry& old) {
    of.foresight = hub_foresight::sample;
    of.sample_words = hub_list::words_for_sample(of.count);
    const std::uint32_t left = 2 * of.count - of.sample_words;  // more than neighbours
    of.known_slots = old.degree < left / 2 ? 2 * old.degree + 1 : left;
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE bool has_room(const vertex_entry& old, std::uint32_t edges) const {
    if (layout::kind(old) != adjacency_kind::hash) return false;
    const std::uint32_t bound = inserts() ? old.degree + edges : old.degree;
    if (bound < edges || bound >= rule.tree_from) return false;
    return layout_policy<Bits>({adjacency_policy::hash}).choose(old, bound, inserts() ? 0 : edges).same_extent;
  }
};

/// Body: begins a hub and lists the pieces of its table, where nothing is to be found out in between.
template <class Bits>
struct begin_and_plan_hub : begin_hub<Bits> {
  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    if (tile.lane() == 0) begin_hub<Bits>::operator()(tile.solo(), i);
    tile.sync();
    this->list_pieces(tile, this->list.hubs[i], static_cast<std::uint32_t>(i));
  }
};

/// Body: empties a piece of a hub's table of named edges.
struct clear_named {
  hub_list list;
  bool ordered;  ///< whether positions matter

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const hub_piece piece = list.pieces[i];
    const hub& of = list.hubs[piece.hub];
    if (of.in_scratch != 0 || of.distinct != 0) return;
    const hub_piece::stretch mine = piece.of(of.count);
    const std::size_t begin = 2 * (std::size_t{of.first} + mine.from);
    if (of.foresight == hub_foresight::sample) return clear_some(tile, of, mine, begin);
    tile.strided(2 * mine.count, [&](std::size_t k) { list.named[begin + k] = hub_list::unnamed; });
    if (!ordered) return;
    tile.strided(2 * mine.count, [&](std::size_t k) { list.last[begin + k] = 0; });
  }

 private:
  /// Where only a sample, and what the vertex has already, is named.
  template <class Tile>
  MANGROVE_HOST_DEVICE void clear_some(const Tile& tile, const hub& of, const hub_piece::stretch& mine,
                                       std::size_t begin) const {
    const std::size_t named_from = 2 * std::size_t{of.first} + of.sample_words;
    const std::size_t end = named_from + of.known_slots;
    tile.strided(2 * mine.count, [&](std::size_t k) {
      if (begin + k < end) list.named[begin + k] = begin + k < named_from ? 0 : hub_list::unnamed;
    });
  }
};

/// Body: notes the positions of a piece's updates with the edges that they name.
template <class Bits>
struct note_hub_updates : hub_updates<Bits> {
  using base = hub_updates<Bits>;
  using base::list;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const hub_piece piece = list.pieces[i];
    base::for_each(tile, piece, list.hubs[piece.hub], {}, [&](const typename base::update& of) {
      bool is_new = false;
      const std::size_t slot = list.name(list.hubs[piece.hub], of.target, is_new);
      list.slots[of.at] = static_cast<std::uint32_t>(slot);
      raise_to(list.last + slot, base::sequence(of.at) + 1);
    });
  }
};

/// Body: decides what the updates of a piece come to, or which edges they name, where that has to be known before the
/// hub's table is planned. Only the last one on an edge comes to anything, any one where all are alike.
template <class Bits>
struct decide_hub_updates : hub_updates<Bits> {
  using base = hub_updates<Bits>;
  using base::graph, base::list;
  using typename base::layout, typename base::table;
  static constexpr int blocks_at_once = 6;  ///< lanes wait for memory most of the time

  indexed_updates batch;
  bool ordered;  ///< whether positions matter, and were noted

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const hub_piece piece = list.pieces[i];
    hub& of = list.hubs[piece.hub];
    if (of.foresight == hub_foresight::nothing) return;
    if (of.foresight == hub_foresight::sample) return look_at_sample(tile, piece, of);
    const vertex_entry entry = of.old;
    const bool looks_up = of.is_decided() && layout::kind(entry) == adjacency_kind::hash;
    const table in = looks_up ? graph.table_of(entry) : table();
    hub_counts made;
    base::for_each(tile, piece, of, in, [&](const typename base::update& one) {
      const edge_outcome outcome = decide(tile.solo(), of, in, one);
      list.outcomes[one.at] = outcome;
      made.add(outcome);
      if (one.target == of.vertex && outcome != edge_outcome::nothing) of.loop = outcome;
    });
    made.book(tile, of);
  }

 private:
  /// Counts the edges that the sample names as inserted ones.
  template <class Tile>
  MANGROVE_HOST_DEVICE void look_at_sample(const Tile& tile, const hub_piece& piece, hub& of) const {
    const hub_piece::stretch mine = piece.of(of.count);
    hub_counts made;
    strided_in_steps<4, std::uint32_t>(
        tile, mine.count,
        [&](std::size_t k, std::uint32_t& target) { target = base::target(of.first + mine.from + k); },
        [&](std::size_t, std::uint32_t& target) { target = list.is_first_in_sample(of, target) ? 1 : 0; },
        [&](std::size_t, std::uint32_t is_first) { made.inserted += is_first; });
    made.book(tile, of);
  }

  template <class Lane>
  [[nodiscard]] MANGROVE_HOST_DEVICE edge_outcome decide(const Lane& lane, const hub& of, const table& in,
                                                         const typename base::update& one) const {
    if (!counts(of, one)) return edge_outcome::nothing;
    if (!of.is_decided()) return edge_outcome::insert;
    const bool present = in.buckets() != 0 ? bool(in.template find<access::plain>(lane, one.target))
                                           : graph.contains(lane, of.vertex, one.target);
    const update_kind kind = ordered ? batch.kind_of(base::sequence(one.at)) : batch.kind;
    if (kind == update_kind::insert) return present ? edge_outcome::overwrite : edge_outcome::insert;
    return present ? edge_outcome::erase : edge_outcome::nothing;
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE bool counts(const hub& of, const typename base::update& one) const {
    if (ordered) return list.last[list.slots[one.at]] == base::sequence(one.at) + 1;
    return list.is_first(of, one.at, one.target);
  }
};

}  // namespace mangrove::detail
