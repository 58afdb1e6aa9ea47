#pragma once

#include "edge_sort.hpp"
#include "vertex_runs.hpp"

/// @file
/// From updates that are grouped by source to runs, each in the list of the adjacency that it will find. Small batches
/// are grouped by chains; for large ones, whose chains would be long walks through memory, a sort by source costs less.

namespace mangrove::detail {

/// What both ways have in common.
template <class Bits>
struct run_lists {
  adjacency_view<Bits> graph;
  layout_policy<Bits> policy;
  edge_updates updates;
  std::uint32_t* heads;  ///< by vertex: marked for hubs, with one more than the hub's number
  vertex_run* lists[run_kinds];
  vertex_run* growing;       ///< gets the runs whose vertex may need another extent
  hub* hubs;                 ///< gets the vertices with more updates than a run holds
  std::uint32_t* targets;    ///< gets the updates' targets
  std::uint32_t* sequences;  ///< gets their positions in the batch; null where nothing depends on them
  batch_status* status;

  /// Where a run goes: to the list of a kind, to the growing ones, or nowhere.
  static constexpr std::uint32_t to_growing = run_kinds;
  static constexpr std::uint32_t destinations = run_kinds + 1;
  static constexpr std::uint32_t nowhere = destinations;

  struct sorted_run {
    vertex_run run;
    std::uint32_t to = nowhere;
  };

  /// Finds out where a run goes; a hub's goes nowhere but is noted.
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

  /// Lists those of some runs that go to one destination. All lanes must come together, so that they share an atomic.
  template <int N>
  MANGROVE_HOST_DEVICE void list(const sorted_run (&sorted)[N], std::uint32_t to) const {
    std::uint32_t count = 0;
    unrolled<N>([&](int k) { count += sorted[k].to == to ? 1 : 0; });
    std::uint32_t at = count_up_by(to == to_growing ? &status->growing.value : &status->listed[to].value, count);
    vertex_run* const destination = to == to_growing ? growing : lists[to];
    unrolled<N>([&](int k) {
      if (sorted[k].to == to) destination[at++] = sorted[k].run;
    });
  }

  /// Writes one update of a run, unless a later one on the same edge is there. @return the updates that are there now
  MANGROVE_HOST_DEVICE std::uint32_t add(std::uint32_t first, std::uint32_t count, std::uint32_t target,
                                         std::uint32_t sequence) const {
    std::uint32_t k = 0;
    while (k < count && targets[first + k] != target) ++k;
    if (k == count) {
      targets[first + k] = target;
    } else if (sequences == nullptr || sequence < sequences[first + k]) {
      return count;
    }
    if (sequences != nullptr) sequences[first + k] = sequence;
    return k == count ? count + 1 : count;
  }

 private:
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t count_inserts(std::uint32_t first, std::uint32_t count) const {
    std::uint32_t inserts = 0;
    for (std::uint32_t k = 0; k < count; ++k) {
      inserts += updates.batch.kinds[sequences[first + k]] == update_kind::insert ? 1 : 0;
    }
    return inserts;
  }
};

/// Steps along the updates of a vertex: repeats of an edge are dropped on the way.
inline constexpr std::uint32_t max_run_steps = 2 * vertex_run::max_updates;

/// Body: gathers the chain that update i began. Unmakes the chain.
template <class Bits>
struct gather_chain : run_lists<Bits> {
  static constexpr int prefetch_stages = 2;
  using base = run_lists<Bits>;
  using base::graph, base::heads, base::sequences, base::status, base::targets, base::updates;
  /// Updates of a chain that are held in registers.
  static constexpr int held = 4;

  const std::uint32_t* next;

  template <int Stage>
  void prefetch(std::size_t i) const {
    if (next[i] != chain_end) return;
    const std::uint32_t u = updates.source(static_cast<std::uint32_t>(i));
    if constexpr (Stage == 0) {
      mangrove::prefetch(heads + u);
      mangrove::prefetch(graph.entries + u);
    } else {
      mangrove::prefetch(next + heads[u] - 1);
    }
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const bool leads = next[i] == chain_end;
    const std::uint32_t vertex = leads ? updates.source(static_cast<std::uint32_t>(i)) : 0;
    std::uint32_t head = chain_end;
    if (leads) {
      head = heads[vertex];
      heads[vertex] = chain_end;
    }
    std::uint32_t links[held];
    std::uint32_t rest = head;
    std::uint32_t steps = 0;
    unrolled<held>([&](int k) {
      links[k] = rest;
      if (rest == chain_end) return;
      rest = next[rest - 1];
      ++steps;
    });
    for (std::uint32_t link = rest; link != chain_end && steps <= max_run_steps; link = next[link - 1]) ++steps;
    const std::uint32_t first = count_up_by(&status->updates.value, steps);
    typename base::sorted_run sorted[1] = {};
    if (leads) {
      const std::uint32_t count = steps > max_run_steps ? steps
                                  : rest == chain_end   ? write_held(links, first)
                                                        : follow(head, first);
      sorted[0] = base::sort({vertex, first, count, vertex_run::in_place});
    }
    for (std::uint32_t to = 0; to < base::destinations; ++to) base::list(sorted, to);
  }

 private:
  /// Writes the last of the held updates on each edge. @return how many there are
  MANGROVE_HOST_DEVICE std::uint32_t write_held(const std::uint32_t (&links)[held], std::uint32_t first) const {
    std::uint32_t edges[held];
    unrolled<held>([&](int k) { edges[k] = links[k] == chain_end ? 0 : updates.target(links[k] - 1); });
    std::uint32_t count = 0;
    unrolled<held>([&](int k) {
      bool last = links[k] != chain_end;
      unrolled<held>([&](int j) { last = last && !(edges[j] == edges[k] && links[j] > links[k]); });
      if (!last) return;
      targets[first + count] = edges[k];
      if (sequences != nullptr) sequences[first + count] = updates.sequence(links[k] - 1);
      ++count;
    });
    return count;
  }

  MANGROVE_HOST_DEVICE std::uint32_t follow(std::uint32_t head, std::uint32_t first) const {
    std::uint32_t count = 0;
    for (std::uint32_t link = head; link != chain_end; link = next[link - 1]) {
      count = base::add(first, count, updates.target(link - 1), updates.sequence(link - 1));
    }
    return count;
  }
};

/// Body: turns update i, in both directions if it is undirected, into sort keys.
struct key_updates : update_admission {
  sort_format format;
  std::uint64_t* keys;
  std::uint32_t* next;  ///< gets `not_chained` where an update comes to nothing

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const std::uint32_t u = updates.batch.sources[i];
    const std::uint32_t v = updates.batch.targets[i];
    const bool counts = admit(updates.batch.kind_of(i), u, v);
    const auto at = static_cast<std::uint32_t>(i);
    if (updates.direction == edge_direction::directed) {
      put(at, counts, u, v, at);
    } else {
      put(2 * at, counts, u, v, at);
      put(2 * at + 1, counts && u != v, v, u, at);
    }
  }

  MANGROVE_HOST_DEVICE void put(std::uint32_t at, bool counts, std::uint32_t u, std::uint32_t v,
                                std::uint32_t sequence) const {
    keys[at] = counts ? format.key(u, v, format.sequence_bits == 0 ? 0 : sequence) : format.dropped();
    next[at] = counts ? chain_end : not_chained;
  }
};

/// Body: gathers the runs that begin at sorted keys i, i + calls, i + 2 calls and so on: several a call, so that few
/// atomics number them.
template <class Bits>
struct gather_sorted : run_lists<Bits> {
  using base = run_lists<Bits>;
  static constexpr int runs = 4;

  sort_format format;
  const std::uint64_t* keys;
  std::size_t count;
  std::size_t calls;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    typename base::sorted_run sorted[runs] = {};
    unrolled<runs>([&](int k) {
      const std::size_t at = k * calls + i;
      if (at < count && begins(at)) sorted[k] = base::sort(gather(at));
    });
    for (std::uint32_t to = 0; to < base::destinations; ++to) base::list(sorted, to);
  }

 protected:
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t source(std::size_t at) const {
    return key_source(format.edge(keys[at]));
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE bool begins(std::size_t at) const {
    return keys[at] != format.dropped() && (at == 0 || source(at - 1) != source(at));
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE vertex_run gather(std::size_t at) const {
    const std::uint32_t vertex = source(at);
    const auto first = static_cast<std::uint32_t>(at);
    constexpr std::uint32_t too_many = vertex_run::max_updates + 1;
    if (at + max_run_steps < count && source(at + max_run_steps) == vertex) {
      return {vertex, first, too_many, vertex_run::in_place};
    }
    std::uint32_t steps = 0;
    std::uint32_t distinct = 0;
    for (std::size_t k = at; k < count && steps <= max_run_steps && distinct <= vertex_run::max_updates; ++k, ++steps) {
      const std::uint64_t edge = format.edge(keys[k]);
      if (key_source(edge) != vertex || keys[k] == format.dropped()) {
        return {vertex, first, distinct, vertex_run::in_place};
      }
      distinct = base::add(first, distinct, key_target(edge), format.sequence(keys[k]));
    }
    const bool ended = at + steps == count && steps <= max_run_steps;
    return {vertex, first, ended ? distinct : too_many, vertex_run::in_place};
  }
};

}  // namespace mangrove::detail
