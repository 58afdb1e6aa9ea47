#pragma once

#include "mangrove/core/hash.hpp"
#include "mangrove/core/relaxed_atomic.hpp"
#include "run_plan.hpp"

/// @file
/// Vertices with more updates in a batch than a run holds. Their updates are worked on one by one, by tiles side by
/// side: repeats are found in a hash table of edges, and their neighbours are kept in a hash table.

namespace mangrove::detail {

/// The updates of hubs, by number, and what was found out about them. In the backend's memory.
struct hub_list {
  hub* hubs;
  std::uint32_t* updates;  ///< positions among the directed updates
  std::uint32_t* owners;   ///< numbers of their hubs
  std::uint32_t* slots;    ///< where in the table of edges their edge is
  edge_outcome* outcomes;
};

/// An open-addressing hash table of the edges that hubs' updates name, with one more than the last position of each.
struct named_edges {
  std::uint64_t* edges;  ///< all bits set where empty
  std::uint32_t* last;   ///< zero at first
  std::uint32_t mask;    ///< slots less one, a power of two of them

  static constexpr std::uint64_t empty = ~std::uint64_t{0};

  /// Notes a position of an edge. @return the edge's slot
  MANGROVE_HOST_DEVICE std::uint32_t note(std::uint64_t edge, std::uint32_t position) const {
    auto slot = static_cast<std::uint32_t>(mix(edge)) & mask;
    while (true) {
      std::uint64_t seen = load_relaxed(edges + slot);
      if (seen == empty) seen = relaxed_compare_exchange(edges + slot, empty, edge);
      if (seen == empty || seen == edge) break;
      slot = (slot + 1) & mask;
    }
    raise_to(last + slot, position + 1);
    return slot;
  }
};

/// Body: lists update i if it is of a hub.
struct list_hub_update {
  edge_updates updates;
  const std::uint32_t* heads;  ///< one more than the number of a hub, 0 for other vertices
  const std::uint32_t* next;
  hub_list list;
  batch_status* status;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    if (next[i] == not_chained) return;
    const auto at = static_cast<std::uint32_t>(i);
    const std::uint32_t head = heads[updates.source(at)];
    if (head == chain_end) return;
    const std::uint32_t number = count_up_one(&status->hub_updates);
    list.updates[number] = at;
    list.owners[number] = head - 1;
  }
};

/// Body: takes the mark off a hub.
struct unmark_hub {
  const hub* hubs;
  std::uint32_t* heads;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    heads[hubs[i].vertex] = chain_end;
  }
};

/// Body: notes the edge that a hub's update names.
struct note_hub_update {
  edge_updates updates;
  hub_list list;
  named_edges named;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const std::uint32_t at = list.updates[i];
    list.slots[i] = named.note(edge_key(updates.source(at), updates.target(at)), updates.sequence(at));
  }
};

/// Body: decides what a hub's update comes to; only the last one on its edge comes to anything.
template <class Bits>
struct decide_hub_update {
  static constexpr int prefetch_stages = 2;

  adjacency_view<Bits> graph;
  edge_updates updates;
  hub_list list;
  named_edges named;

  template <int Stage>
  void prefetch(std::size_t i) const {
    graph.template prefetch<Stage>(updates.source(list.updates[i]), updates.target(list.updates[i]));
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::uint32_t at = list.updates[i];
    const std::uint32_t sequence = updates.sequence(at);
    edge_outcome outcome = edge_outcome::nothing;
    if (named.last[list.slots[i]] == sequence + 1) {
      const bool present = graph.contains(tile, updates.source(at), updates.target(at));
      const bool inserts = updates.batch.kind_of(sequence) == update_kind::insert;
      if (inserts) {
        outcome = present ? edge_outcome::overwrite : edge_outcome::insert;
      } else if (present) {
        outcome = edge_outcome::erase;
      }
    }
    if (tile.lane() == 0) list.outcomes[i] = outcome;
  }
};

/// Body, for one lane: counts what a hub's update comes to.
struct count_hub_update {
  edge_updates updates;
  hub_list list;
  batch_status* status;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const edge_outcome outcome = list.outcomes[i];
    if (outcome == edge_outcome::nothing) return;
    hub& owner = list.hubs[list.owners[i]];
    if (outcome == edge_outcome::insert) count_up(&owner.inserted);
    if (outcome == edge_outcome::erase) count_up(&owner.erased);
    const auto kind = static_cast<std::uint32_t>(outcome);
    count_up(&status->hub_outcomes[kind]);
    if (updates.source(list.updates[i]) == updates.target(list.updates[i])) count_up(&status->hub_loops[kind]);
  }
};

/// Body: plans the table of a hub.
template <class Bits>
struct plan_hub {
  using layout = entry_layout<Bits>;

  adjacency_view<Bits> graph;
  hub* hubs;
  plan_run<Bits> runs;  ///< does it with the runs' plans and tasks
  batch_status* status;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    hub& of = hubs[i];
    const vertex_entry old = graph.entries[of.vertex];
    const std::uint32_t bound = old.degree + of.inserted;
    const std::uint32_t least = layout::inline_capacity + 1;  // a table even if few are left: it shrinks in the end
    const layout_choice choice =
        layout_policy<Bits>(adjacency_policy::hash).choose(old, bound > least ? bound : least, of.erased);
    const bool stays = choice.same_extent;
    if (tile.lane() == 0) {
      if (layout::kind(old) != adjacency_kind::inlined) runs.give(old.granules());
      if (!stays) runs.give(choice.granules);
    }
    const std::uint32_t plan = stays ? vertex_run::in_place : runs.plan(tile, old, choice);
    if (tile.lane() == 0) of.plan = plan;
  }
};

}  // namespace mangrove::detail
