#pragma once

#include "edge_sort.hpp"
#include "mangrove/core/bits.hpp"
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
  std::uint64_t* edges;
  std::uint32_t* positions;  ///< in the batch; any that tell repeats apart where nothing depends on their order
  std::uint32_t* owners;     ///< numbers of their hubs
  std::uint32_t* slots;      ///< where in the table of edges their edge is
  edge_outcome* outcomes;

  /// Lists an update. @param head one more than the number of its hub
  MANGROVE_HOST_DEVICE void put(std::uint32_t number, std::uint32_t head, std::uint64_t edge,
                                std::uint32_t position) const {
    edges[number] = edge;
    positions[number] = position;
    owners[number] = head - 1;
  }
};

/// An open-addressing hash table of the edges that hubs' updates name, with one more than the last position of each.
struct named_edges {
  std::uint64_t* edges;  ///< all bits set where empty
  std::uint32_t* last;   ///< zero at first

  static constexpr std::uint64_t empty = ~std::uint64_t{0};

  /// Notes a position of an edge of a hub. @return the edge's slot
  MANGROVE_HOST_DEVICE std::uint32_t note(const hub& of, std::uint64_t edge, std::uint32_t position) const {
    const std::uint32_t begin = 2 * of.first;
    const std::uint32_t slots = 2 * of.count;
    std::uint32_t at = reduce_range(static_cast<std::uint32_t>(mix(edge)), slots);
    while (true) {
      std::uint64_t seen = load_relaxed(edges + begin + at);
      if (seen == empty) seen = relaxed_compare_exchange(edges + begin + at, empty, edge);
      if (seen == empty || seen == edge) break;
      at = at + 1 == slots ? 0 : at + 1;
    }
    raise_to(last + begin + at, position + 1);
    return begin + at;
  }
};

/// Body: lists update i, which is in a chain, if it is of a hub.
struct list_chained_update {
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
    list.put(count_up_one(&status->hub_updates), head, edge_key(updates.source(at), updates.target(at)),
             updates.sequence(at));
  }
};

/// Body: lists those updates of stretch i of sorted keys that are of hubs.
struct list_sorted_updates {
  static constexpr std::size_t stretch = 256;

  sort_format format;
  const std::uint64_t* keys;
  std::size_t count;
  const std::uint32_t* heads;
  hub_list list;
  batch_status* status;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    if (status->hubs == 0) return;
    std::uint32_t found = 0;
    for (std::size_t at = i * stretch; at < (i + 1) * stretch; at += Tile::lanes) {
      found += count_bits(of_hubs(tile, at));
    }
    if (found == 0) return;
    std::uint32_t number = tile.elect([&] { return fetch_add(&status->hub_updates, found); });
    for (std::size_t at = i * stretch; at < (i + 1) * stretch; at += Tile::lanes) {
      const std::uint32_t mask = of_hubs(tile, at);
      const std::uint32_t before = mask & ((std::uint32_t{1} << tile.lane()) - 1);
      if ((mask >> tile.lane() & 1) != 0) list_key(number + count_bits(before), at + tile.lane());
      number += count_bits(mask);
    }
  }

 private:
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t owner_of(std::size_t at) const {
    return at >= count || keys[at] == format.dropped() ? chain_end : heads[key_source(format.edge(keys[at]))];
  }

  /// Bit k of the result is whether lane k's key is of a hub.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t of_hubs(const Tile& tile, std::size_t at) const {
    return tile.ballot(owner_of(at + tile.lane()) != chain_end);
  }

  MANGROVE_HOST_DEVICE void list_key(std::uint32_t number, std::size_t at) const {
    const std::uint64_t edge = format.edge(keys[at]);
    const auto position = static_cast<std::uint32_t>(at);
    const std::uint32_t head = heads[key_source(edge)];
    list.put(number, head, edge, format.sequence_bits == 0 ? position : format.sequence(keys[at]));
    if (at + 1 != count && key_source(format.edge(keys[at + 1])) == key_source(edge)) return;
    hub& owner = list.hubs[head - 1];  // this is its last key
    owner.count = position + 1 - owner.first;
    owner.first = fetch_add(&status->named, owner.count);
  }
};

/// Body: lets all hubs share the table of edges.
struct share_named_edges {
  hub* hubs;
  std::uint32_t updates;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    hubs[i].first = 0;
    hubs[i].count = updates;
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
  hub_list list;
  named_edges named;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    list.slots[i] = named.note(list.hubs[list.owners[i]], list.edges[i], list.positions[i]);
  }
};

/// Body, for one lane: decides what a hub's update comes to, and counts it; only the last one on its edge comes to
/// anything.
template <class Bits>
struct decide_hub_update {
  static constexpr int prefetch_stages = 2;

  adjacency_view<Bits> graph;
  indexed_updates batch;
  hub_list list;
  named_edges named;

  template <int Stage>
  void prefetch(std::size_t i) const {
    graph.template prefetch<Stage>(key_source(list.edges[i]), key_target(list.edges[i]));
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const edge_outcome outcome = decide(tile, i);
    list.outcomes[i] = outcome;
    const std::uint64_t edge = list.edges[i];
    if (outcome != edge_outcome::nothing) {
      add(list.hubs[list.owners[i]], outcome, key_source(edge) == key_target(edge));
    }
  }

 private:
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE edge_outcome decide(const Tile& tile, std::size_t i) const {
    const std::uint32_t position = list.positions[i];
    if (named.last[list.slots[i]] != position + 1) return edge_outcome::nothing;
    const bool present = graph.contains(tile, key_source(list.edges[i]), key_target(list.edges[i]));
    if (batch.kind_of(position) == update_kind::insert) {
      return present ? edge_outcome::overwrite : edge_outcome::insert;
    }
    return present ? edge_outcome::erase : edge_outcome::nothing;
  }

  /// By hub: all updates counting on one counter would wait for each other.
  MANGROVE_HOST_DEVICE static void add(hub& owner, edge_outcome outcome, bool is_loop) {
    count_up(outcome == edge_outcome::insert  ? &owner.inserted
             : outcome == edge_outcome::erase ? &owner.erased
                                              : &owner.overwritten);
    if (is_loop) owner.loop = outcome;
  }
};

/// Body: plans the table of a hub.
template <class Bits>
struct plan_hub {
  using layout = entry_layout<Bits>;

  adjacency_view<Bits> graph;
  hub* hubs;
  adjacency_rule rule;
  plan_run<Bits> runs;  ///< does it with the runs' plans and tasks
  batch_status* status;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    hub& of = hubs[i];
    const vertex_entry old = graph.entries[of.vertex];
    const std::uint32_t bound = old.degree + of.inserted;
    if (layout::kind(old) == adjacency_kind::tree || bound >= rule.tree_from) {
      return store_relaxed(&status->unsuited, 1U);  // only the sorted path changes trees
    }
    const std::uint32_t least = layout::inline_capacity + 1;  // a table even if few are left: it shrinks in the end
    const layout_choice choice =
        layout_policy<Bits>({adjacency_policy::hash}).choose(old, bound > least ? bound : least, of.erased);
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
