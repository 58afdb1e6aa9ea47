#pragma once

#include <cstddef>
#include <cstdint>

#include "indexed_updates.hpp"
#include "layout_choice.hpp"
#include "mangrove/core/detail/row_of.hpp"
#include "mangrove/graph/detail/adjacency_view.hpp"
#include "mangrove/graph/graph_change.hpp"

namespace mangrove::detail {

/// How commit treats one vertex.
enum class vertex_mode : std::uint32_t {
  in_table,  ///< its hash table stays; edges are changed in it one by one
  to_array,  ///< its neighbours are merged into an array or into the entry
  to_table,  ///< a new hash table is filled from what it had
  in_tree,   ///< its tree stays; leaves are changed, made and dropped
  from_row   ///< it becomes a tree, or stops being one, or its tree is built anew: from a sorted row of all neighbours
};

/// One vertex whose edges change, and what becomes of its adjacency.
struct vertex_plan {
  std::uint32_t vertex;
  std::uint32_t first;  ///< its changes start here, in the order of edges
  vertex_mode mode;
  std::uint32_t taken;  ///< number of its request within the size class, `no_request` when its extent stays
  std::uint32_t given;  ///< number of its gift, `no_request` when it had no extent or keeps it
  std::uint32_t tree;   ///< in_tree: number of its tree among the batch's; from_row: of its row
  vertex_entry old;
  vertex_entry next;  ///< its extent is filled in by commit

  static constexpr std::uint32_t no_request = ~std::uint32_t{0};
};

/// Numbers of changes in front of a change, as one scannable value: inserts in the upper, erases in the lower half.
MANGROVE_HOST_DEVICE constexpr std::uint64_t change_count(edge_action action) {
  if (action == edge_action::insert) return std::uint64_t{1} << 32;
  return action == edge_action::erase ? 1 : 0;
}

/// Body: marks where the changes of another vertex start, and turns actions into numbers to scan.
struct mark_vertices {
  const std::uint64_t* edges;
  const edge_action* actions;
  std::uint8_t* starts;
  std::uint64_t* changes;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    starts[i] = i == 0 || key_source(edges[i]) != key_source(edges[i - 1]);
    changes[i] = change_count(actions[i]);
  }
};

/// What planning vertices counts, in the backend's memory; zero at first.
struct plan_totals {
  pool_demand demand;
  std::uint32_t trees;  ///< vertices that have a tree or get one
};

/// Body: plans one vertex and numbers its requests to the pool.
template <class Bits>
struct plan_vertex {
  static constexpr int prefetch_stages = 1;
  using layout = entry_layout<Bits>;

  adjacency_view<Bits> graph;
  layout_policy<Bits> policy;
  const std::uint64_t* edges;
  const std::uint64_t* changes_before;
  const std::uint32_t* starts;
  std::size_t vertex_count;
  std::size_t edge_count;
  vertex_plan* plans;
  std::uint8_t* new_table;  ///< flags
  plan_totals* totals;

  template <int Stage>
  void prefetch(std::size_t i) const {
    mangrove::prefetch(graph.entries + key_source(edges[starts[i]]));
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const std::size_t last = i + 1 == vertex_count ? edge_count : starts[i + 1];
    const std::uint64_t changes = changes_before[last] - changes_before[starts[i]];
    vertex_plan plan{};
    plan.vertex = key_source(edges[starts[i]]);
    plan.first = starts[i];
    if (plan.vertex < graph.entry_count) plan.old = graph.entries[plan.vertex];
    const auto erased = static_cast<std::uint32_t>(changes);
    const std::uint32_t degree = plan.old.degree + static_cast<std::uint32_t>(changes >> 32) - erased;
    decide(plan, policy.choose(plan.old, degree, erased), degree);
    plans[i] = plan;
    new_table[i] = plan.mode == vertex_mode::to_table;
  }

  MANGROVE_HOST_DEVICE void decide(vertex_plan& plan, const layout_choice& choice, std::uint32_t degree) const {
    plan.taken = plan.given = vertex_plan::no_request;
    plan.mode = mode_for(plan.old, choice);
    if (choice.kind == adjacency_kind::tree || layout::kind(plan.old) == adjacency_kind::tree) count_up(&totals->trees);
    if (choice.same_extent) {
      plan.next = plan.old;
      plan.next.degree = degree;
      return;
    }
    if (choice.kind == adjacency_kind::inlined) {
      plan.next = vertex_entry{degree, {0, 0, 0}};
    } else {
      plan.next = vertex_entry::make(degree, choice.kind, 0, choice.granules);
      if (choice.kind == adjacency_kind::tree) plan.next.words[2] = layout_policy<Bits>::leaves_for(degree);
      plan.taken = count_up(&totals->demand.taken[size_class_of(choice.granules)]);
    }
    if (layout::kind(plan.old) != adjacency_kind::inlined) {
      plan.given = count_up(&totals->demand.given[size_class_of(plan.old.granules())]);
    }
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE static vertex_mode mode_for(const vertex_entry& old, const layout_choice& choice) {
    if (choice.kind == adjacency_kind::hash) return choice.same_extent ? vertex_mode::in_table : vertex_mode::to_table;
    if (choice.kind == adjacency_kind::tree) return choice.same_extent ? vertex_mode::in_tree : vertex_mode::from_row;
    return layout::kind(old) == adjacency_kind::tree ? vertex_mode::from_row : vertex_mode::to_array;
  }
};

/// Body: slabs of the old table or tree and of the new table of a vertex that gets a new one, to be scanned.
template <class Bits>
struct count_slabs {
  using layout = entry_layout<Bits>;

  const std::uint32_t* rows;
  const vertex_plan* plans;
  std::uint64_t* old_slabs;
  std::uint64_t* new_slabs;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const vertex_plan& plan = plans[rows[i]];
    old_slabs[i] = has_slabs(layout::kind(plan.old)) ? layout::slabs(plan.old) : 0;
    new_slabs[i] = plan.next.granules() / granules_per_slab;
  }
};

}  // namespace mangrove::detail
