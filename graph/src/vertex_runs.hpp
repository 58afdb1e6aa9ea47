#pragma once

#include <cstddef>
#include <cstdint>

#include "indexed_updates.hpp"
#include "layout_choice.hpp"
#include "mangrove/core/atomic.hpp"
#include "mangrove/core/pool_ref.hpp"
#include "mangrove/core/unrolled.hpp"
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
  /// Updates of a vertex that one tile may have to work through; a vertex with more is a hub.
  static constexpr std::uint32_t max_updates = 32;
};

/// Kinds of adjacency, each of which has a list of the runs to be applied to it.
inline constexpr std::uint32_t run_kinds = 3;

/// What the bodies of a batch count and find out; in the backend's memory, zero at first.
struct batch_status {
  outcome_counts outcomes;
  std::uint32_t listed[run_kinds];  ///< runs, by the adjacency that they will find
  std::uint32_t updates;            ///< gathered
  std::uint32_t growing;            ///< runs whose vertex may need another extent
  std::uint32_t plans;              ///< runs whose vertex gets another extent
  std::uint32_t tasks;              ///< pieces of tables to fill
  std::uint32_t hubs;               ///< vertices with more updates than a run holds
  std::uint32_t hub_updates;        ///< their updates
  std::uint32_t hubs_planned;       ///< not 0: their tables are planned
  std::uint32_t unsuited;           ///< not 0: the batch is for the sorted path
  std::uint32_t index_limit;        ///< one more than the largest index that comes to be beyond the dictionary
  std::uint32_t creating;           ///< updates that may bring vertices into being: all or none of the batch
  std::uint32_t vertices_created;   ///< how many
  std::uint32_t granted_by_host;    ///< not 0: the pool has grown as the demand wants it
  std::uint64_t granules_left;      ///< that the pool has memory for
  std::uint32_t hub_outcomes[outcome_kinds];  ///< directed edges
  std::uint32_t hub_loops[outcome_kinds];     ///< self loops among them
  pool_verdict verdict;
  pool_demand demand;                                ///< `given` is what may be given at most
  std::array<std::uint32_t, size_classes> returned;  ///< extents really given

  /// Whether everything is there, and the graph may be changed. Once the extents are granted.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool go() const {
    if (unsuited != 0 || index_limit != 0 || (hubs != 0 && hubs_planned == 0)) return false;
    return granted_by_host != 0 || (verdict.refused == 0 && verdict.fresh <= granules_left);
  }
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
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t source(std::uint32_t i) const {
    if (direction == edge_direction::directed) return batch.sources[i];
    return i % 2 == 0 ? batch.sources[i / 2] : batch.targets[i / 2];
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

/// Links of chains of updates: one more than an update's position, or one of these.
inline constexpr std::uint32_t chain_end = 0;
inline constexpr std::uint32_t not_chained = ~std::uint32_t{0};

/// Body: chains update i, in both directions if it is undirected, to those of the same source.
struct chain_updates {
  static constexpr int prefetch_stages = 1;

  edge_updates updates;
  const std::uint32_t* present;  ///< one bit an index: which vertices there are
  std::uint32_t index_count;     ///< entries in the dictionary
  std::uint32_t* heads;          ///< by vertex: the last update of its chain; `chain_end` without one
  std::uint32_t* next;           ///< by update: the update before it in its chain
  batch_status* status;

  template <int Stage>
  void prefetch(std::size_t i) const {
    const std::uint32_t u = updates.batch.sources[i];
    if (u < index_count) mangrove::prefetch(heads + u);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const std::uint32_t u = updates.batch.sources[i];
    const std::uint32_t v = updates.batch.targets[i];
    const bool counts = admit(updates.batch.kind_of(i), u, v);
    const auto at = static_cast<std::uint32_t>(i);
    if (updates.direction == edge_direction::directed) {
      chain(counts, u, at);
    } else {
      chain(counts, u, 2 * at);
      chain(counts && u != v, v, 2 * at + 1);
    }
  }

 private:
  /// Whether an update may change an edge. Notes what the batch needs.
  MANGROVE_HOST_DEVICE bool admit(update_kind kind, std::uint32_t u, std::uint32_t v) const {
    if (!names_edge(kind)) {
      store_relaxed(&status->unsuited, 1U);
      return false;
    }
    if (u == v && updates.loops == self_loops::drop) {
      if (updates.names_new_vertices) store_relaxed(&status->unsuited, 1U);
      return false;
    }
    const std::uint32_t larger = u > v ? u : v;
    if (larger < index_count) {
      if (kind == update_kind::insert && (!exists(u) || !exists(v))) {
        store_relaxed(&status->creating, static_cast<std::uint32_t>(updates.batch.size));
      }
      return true;
    }
    if (kind == update_kind::insert) raise_to(&status->index_limit, larger + 1 == 0 ? larger : larger + 1);
    return false;  // an edge to nowhere, or the batch comes again
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE bool exists(std::uint32_t index) const {
    return (present[index / 32] >> (index % 32) & 1) != 0;
  }

  MANGROVE_HOST_DEVICE void chain(bool counts, std::uint32_t source, std::uint32_t at) const {
    next[at] = counts ? exchange(heads + source, at + 1) : not_chained;
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

/// A vertex with more updates in a batch than a run holds.
struct hub {
  std::uint32_t vertex;
  std::uint32_t inserted;  ///< edges that come
  std::uint32_t erased;    ///< edges that go
  std::uint32_t plan;      ///< number of the plan for its new table, `vertex_run::in_place` without one
};

/// Body: gathers chains into runs, and sees whether their vertices have room for them: call i those that updates i,
/// i + calls, i + 2 calls and so on began. Unmakes the chains; that of a hub is left to others, the head being one more
/// than the hub's number.
///
/// Several chains a call, so that few atomics number the runs, and that the walks along chains overlap.
template <class Bits>
struct gather_run {
  static constexpr int prefetch_stages = 2;
  /// Longest chain that is followed: repeats of an edge are dropped on the way.
  static constexpr std::uint32_t max_steps = 2 * vertex_run::max_updates;
  /// Chains of a call at most.
  static constexpr int chains = 4;

  std::size_t calls;
  adjacency_view<Bits> graph;
  layout_policy<Bits> policy;
  edge_updates updates;
  std::uint32_t* heads;
  const std::uint32_t* next;
  vertex_run* lists[run_kinds];
  vertex_run* growing;       ///< gets the runs whose vertex may need another extent
  hub* hubs;                 ///< gets the vertices with more updates than a run holds
  std::uint32_t* targets;    ///< gets the updates' targets
  std::uint32_t* sequences;  ///< gets their positions in the batch; null where nothing depends on them
  batch_status* status;

  template <int Stage>
  void prefetch(std::size_t i) const {
    for_each_chain(i, [&](int, std::uint32_t vertex) {
      if constexpr (Stage == 0) {
        mangrove::prefetch(heads + vertex);
        mangrove::prefetch(graph.entries + vertex);
      } else {
        mangrove::prefetch(next + heads[vertex] - 1);
      }
    });
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    std::uint32_t link[chains] = {};
    std::uint32_t steps[chains] = {};
    std::uint32_t all_steps = 0;
    for_each_chain(i, [&](int k, std::uint32_t vertex) {
      link[k] = heads[vertex];
      heads[vertex] = chain_end;
      steps[k] = length(link[k]);
      all_steps += steps[k];
    });
    std::uint32_t first = count_up_by(&status->updates, all_steps);
    sorted_run sorted[chains] = {};
    for_each_chain(i, [&](int k, std::uint32_t vertex) {
      const std::uint32_t count = steps[k] > max_steps ? steps[k] : gather(link[k], first);
      sorted[k] = sort({vertex, first, count, vertex_run::in_place});
      first += steps[k];
    });
    for (std::uint32_t to = 0; to < destinations; ++to) list(sorted, to);
  }

 private:
  /// Steps of a chain, as far as it is followed.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t length(std::uint32_t head) const {
    std::uint32_t steps = 0;
    for (std::uint32_t link = head; link != chain_end && steps <= max_steps; link = next[link - 1]) ++steps;
    return steps;
  }

  /// Writes the last update on each edge. @return how many there are
  MANGROVE_HOST_DEVICE std::uint32_t gather(std::uint32_t head, std::uint32_t first) const {
    std::uint32_t count = 0;
    for (std::uint32_t link = head; link != chain_end; link = next[link - 1]) {
      const std::uint32_t target = updates.target(link - 1);
      const std::uint32_t sequence = updates.sequence(link - 1);
      std::uint32_t k = 0;
      while (k < count && targets[first + k] != target) ++k;
      if (k == count)
        targets[first + count++] = target;
      else if (sequences == nullptr || sequence < sequences[first + k])
        continue;
      if (sequences != nullptr) sequences[first + k] = sequence;
    }
    return count;
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t count_inserts(std::uint32_t first, std::uint32_t count) const {
    std::uint32_t inserts = 0;
    for (std::uint32_t k = 0; k < count; ++k) {
      inserts += updates.batch.kinds[sequences[first + k]] == update_kind::insert ? 1 : 0;
    }
    return inserts;
  }

  /// Where a run goes: to the list of a kind, to the growing ones, or nowhere.
  static constexpr std::uint32_t to_growing = run_kinds;
  static constexpr std::uint32_t destinations = run_kinds + 1;
  static constexpr std::uint32_t nowhere = destinations;

  struct sorted_run {
    vertex_run run;
    std::uint32_t to = nowhere;
  };

  /// Calls `f(k, vertex)` for the k-th chain of call i, those that there are.
  template <class F>
  MANGROVE_HOST_DEVICE void for_each_chain(std::size_t i, F f) const {
    unrolled<chains>([&](int k) {
      const std::size_t at = k * calls + i;
      if (at < updates.size() && next[at] == chain_end) f(k, updates.source(static_cast<std::uint32_t>(at)));
    });
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE sorted_run sort(const vertex_run& run) const {
    if (run.count > vertex_run::max_updates) {
      const std::uint32_t number = count_up_one(&status->hubs);
      hubs[number] = {run.vertex, 0, 0, vertex_run::in_place};
      heads[run.vertex] = number + 1;
      return {};
    }
    const vertex_entry old = graph.entries[run.vertex];
    std::uint32_t inserts = updates.batch.kind == update_kind::insert ? run.count : 0;
    if (updates.batch.kinds != nullptr) inserts = count_inserts(run.first, run.count);
    const std::uint32_t erases = run.count - inserts;
    if (!fits_in_place(policy, old, inserts, erases)) return {run, to_growing};
    constexpr std::uint32_t inline_capacity = entry_layout<Bits>::inline_capacity;
    if (old.degree > inline_capacity && old.degree <= inline_capacity + erases) {
      count_up(&status->demand.given[size_class_of(old.granules())]);  // it may shrink into the entry
    }
    return {run, static_cast<std::uint32_t>(entry_layout<Bits>::kind(old))};
  }

  MANGROVE_HOST_DEVICE void list(const sorted_run (&sorted)[chains], std::uint32_t to) const {
    std::uint32_t count = 0;
    unrolled<chains>([&](int k) { count += sorted[k].to == to ? 1 : 0; });
    std::uint32_t at = count_up_by(to == to_growing ? &status->growing : &status->listed[to], count);
    vertex_run* const destination = to == to_growing ? growing : lists[to];
    unrolled<chains>([&](int k) {
      if (sorted[k].to == to) destination[at++] = sorted[k].run;
    });
  }
};

}  // namespace mangrove::detail
