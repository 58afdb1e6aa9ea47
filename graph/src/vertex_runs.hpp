#pragma once

#include <cstddef>
#include <cstdint>

#include "indexed_updates.hpp"
#include "layout_choice.hpp"
#include "mangrove/core/atomic.hpp"
#include "mangrove/core/pool_ref.hpp"
#include "mangrove/graph/detail/adjacency_view.hpp"
#include "outcome.hpp"

/// @file
/// From a batch to one run of updates per vertex, without sorting: updates are chained by source, then each chain is
/// gathered, the last update on each edge kept.

namespace mangrove::detail {

/// Updates of one vertex in a batch, one per edge.
struct vertex_run {
  std::uint32_t vertex;
  std::uint32_t first;  ///< of its updates among all gathered ones
  std::uint32_t count;
  std::uint32_t plan;  ///< number of the plan for its new extent, `in_place` without one

  static constexpr std::uint32_t in_place = ~std::uint32_t{0};
  /// Updates of a vertex that one tile may have to work through; a vertex with more is for the sorted path.
  static constexpr std::uint32_t max_updates = 32;
};

/// What the bodies of a batch count and find out; in the backend's memory, zero at first.
struct batch_status {
  outcome_counts outcomes;
  std::uint32_t runs;
  std::uint32_t updates;           ///< gathered
  std::uint32_t growing;           ///< runs whose vertex may need another extent
  std::uint32_t plans;             ///< runs whose vertex gets another extent
  std::uint32_t tasks;             ///< pieces of tables to fill
  std::uint32_t unsuited;          ///< not 0: the batch is for the sorted path
  std::uint32_t index_limit;       ///< one more than the largest index that comes to be beyond the dictionary
  std::uint32_t creates;           ///< not 0: vertices come to be
  std::uint32_t vertices_created;  ///< how many
  std::uint32_t go;                ///< not 0: everything is there, and what follows may change the graph
  pool_verdict verdict;
  pool_demand demand;                                ///< `given` is what may be given at most
  std::array<std::uint32_t, size_classes> returned;  ///< extents really given
};

/// A batch of edge updates by index, undirected ones to be read in both directions.
struct edge_updates {
  indexed_updates batch;
  edge_direction direction;
  self_loops loops;
  bool names_new_vertices;  ///< the batch has new ids; those of dropped self loops would have to be taken back

  [[nodiscard]] MANGROVE_HOST_DEVICE std::size_t size() const {
    return direction == edge_direction::directed ? batch.size : 2 * batch.size;
  }
  /// Position in the batch of the update that directed update i is of.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t sequence(std::uint32_t i) const {
    return direction == edge_direction::directed ? i : i / 2;
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t target(std::uint32_t i) const {
    if (direction == edge_direction::directed) return batch.targets[i];
    return i % 2 == 0 ? batch.targets[i / 2] : batch.sources[i / 2];
  }
};

/// Body: chains update i, in both directions if it is undirected, to those of the same source.
struct chain_updates {
  static constexpr int prefetch_stages = 1;

  edge_updates updates;
  const std::uint32_t* present;   ///< one bit an index: which vertices there are
  std::uint32_t index_count;      ///< entries in the dictionary
  std::uint32_t* heads;           ///< by vertex: one more than the last update of its chain; 0 without one
  std::uint32_t* next;            ///< by update: the same of the update before it
  std::uint32_t* chain_vertices;  ///< gets the vertices that have a chain
  batch_status* status;

  template <int Stage>
  void prefetch(std::size_t i) const {
    const std::uint32_t u = updates.batch.sources[i];
    if (u < index_count) mangrove::prefetch(heads + u);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const update_kind kind = updates.batch.kind_of(i);
    if (!names_edge(kind)) {
      store_relaxed(&status->unsuited, 1U);
      return;
    }
    const std::uint32_t u = updates.batch.sources[i];
    const std::uint32_t v = updates.batch.targets[i];
    if (u == v && updates.loops == self_loops::drop) {
      if (updates.names_new_vertices) store_relaxed(&status->unsuited, 1U);
      return;
    }
    if (kind == update_kind::insert) note_created(u, v);
    if (u >= index_count || v >= index_count) return;  // an edge to nowhere, or the batch comes again
    const auto at = static_cast<std::uint32_t>(i);
    if (updates.direction == edge_direction::directed) {
      chain(u, at);
    } else {
      chain(u, 2 * at);
      if (u != v) chain(v, 2 * at + 1);
    }
  }

  MANGROVE_HOST_DEVICE void note_created(std::uint32_t u, std::uint32_t v) const {
    const std::uint32_t larger = u > v ? u : v;
    if (larger >= index_count) {
      raise_to(&status->index_limit, larger + 1 == 0 ? larger : larger + 1);
      return;
    }
    const bool absent = !exists(u) || !exists(v);
    if (absent && load_relaxed(&status->creates) == 0) store_relaxed(&status->creates, 1U);
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE bool exists(std::uint32_t index) const {
    return (load_relaxed(present + index / 32) >> (index % 32) & 1) != 0;
  }

  MANGROVE_HOST_DEVICE void chain(std::uint32_t source, std::uint32_t at) const {
    const std::uint32_t before = exchange(heads + source, at + 1);
    next[at] = before;
    if (before == 0) chain_vertices[count_up(&status->runs)] = source;
  }
};

/// Whether a vertex can take up to `inserts` new neighbours and lose up to `erases` where its neighbours are.
template <class Bits>
MANGROVE_HOST_DEVICE bool fits_in_place(const layout_policy<Bits>& policy, const vertex_entry& old,
                                        std::uint32_t inserts, std::uint32_t erases) {
  using layout = entry_layout<Bits>;
  if (layout::kind(old) == adjacency_kind::inlined) return old.degree + inserts <= layout::inline_capacity;
  return policy.choose(old, old.degree + inserts, erases).same_extent;
}

/// Body: gathers chain i into a run, and sees whether its vertex has room for it. Unmakes the chain.
template <class Bits>
struct gather_run {
  static constexpr int prefetch_stages = 2;
  /// Longest chain that is followed: repeats of an edge are dropped on the way.
  static constexpr std::uint32_t max_steps = 4 * vertex_run::max_updates;

  adjacency_view<Bits> graph;
  layout_policy<Bits> policy;
  edge_updates updates;
  std::uint32_t* heads;
  const std::uint32_t* next;
  const std::uint32_t* chain_vertices;
  vertex_run* runs;
  std::uint32_t* targets;    ///< gets the updates' targets
  std::uint32_t* sequences;  ///< gets their positions in the batch; null where nothing depends on them
  std::uint32_t* growing;    ///< gets the runs whose vertex may need another extent
  batch_status* status;

  /// The updates of a chain, in any order.
  struct gathered {
    std::uint32_t targets[vertex_run::max_updates];
    std::uint32_t positions[vertex_run::max_updates];
    std::uint32_t count = 0;
    bool whole = true;
  };

  template <int Stage>
  void prefetch(std::size_t i) const {
    const std::uint32_t u = chain_vertices[i];
    if constexpr (Stage == 0) {
      mangrove::prefetch(heads + u);
      mangrove::prefetch(graph.entries + u);
    } else {
      mangrove::prefetch(next + heads[u] - 1);
      mangrove::prefetch(updates.batch.targets + updates.sequence(heads[u] - 1));
    }
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const std::uint32_t vertex = chain_vertices[i];
    const gathered found = follow(heads[vertex]);
    heads[vertex] = 0;
    if (!found.whole) store_relaxed(&status->unsuited, 1U);
    const std::uint32_t first = count_up_by(&status->updates, found.count);
    std::uint32_t inserts = 0;
    for (std::uint32_t k = 0; k < found.count; ++k) {
      const std::uint32_t sequence = updates.sequence(found.positions[k]);
      targets[first + k] = found.targets[k];
      if (sequences != nullptr) sequences[first + k] = sequence;
      inserts += updates.batch.kind_of(sequence) == update_kind::insert ? 1 : 0;
    }
    runs[i] = {vertex, first, found.count, vertex_run::in_place};
    find_room(static_cast<std::uint32_t>(i), graph.entries[vertex], inserts, found.count - inserts);
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE gathered follow(std::uint32_t head) const {
    gathered found;
    std::uint32_t steps = 0;
    for (std::uint32_t link = head; link != 0; link = next[link - 1]) {
      found.whole = ++steps <= max_steps && add(found, link - 1);
      if (!found.whole) break;
    }
    return found;
  }

  /// Keeps the last update on each edge. @return whether there was room
  MANGROVE_HOST_DEVICE bool add(gathered& found, std::uint32_t at) const {
    const std::uint32_t target = updates.target(at);
    std::uint32_t k = 0;
    while (k < found.count && found.targets[k] != target) ++k;
    if (k == vertex_run::max_updates) return false;
    if (k == found.count) {
      found.targets[found.count] = target;
      found.positions[found.count++] = at;
    } else if (at > found.positions[k]) {
      found.positions[k] = at;
    }
    return true;
  }

  MANGROVE_HOST_DEVICE void find_room(std::uint32_t run, const vertex_entry& old, std::uint32_t inserts,
                                      std::uint32_t erases) const {
    if (!fits_in_place(policy, old, inserts, erases)) {
      growing[count_up(&status->growing)] = run;
    } else if (old.degree > entry_layout<Bits>::inline_capacity &&
               old.degree <= entry_layout<Bits>::inline_capacity + erases) {
      count_up(&status->demand.given[size_class_of(old.granules())]);  // it may shrink into the entry
    }
  }
};

}  // namespace mangrove::detail
