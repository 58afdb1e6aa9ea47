#pragma once

#include <cstddef>
#include <cstdint>

#include "table_commit.hpp"

namespace mangrove::detail {

/// Body: brings one vertex whose neighbours are kept sorted, in an array or in its entry, to its new state.
///
/// What survives is packed to the front of where it will be, then inserts are merged in from the back, so that source
/// and destination may be the same memory. At most a slab of neighbours: one lane does it.
template <class Bits>
struct merge_array {
  static constexpr int prefetch_stages = 1;
  using layout = entry_layout<Bits>;
  using array = neighbor_array<Bits>;

  adjacency_view<Bits> graph;
  vertex_plan* plans;
  const std::uint32_t* starts;
  std::size_t vertex_count;
  vertex_changes<Bits> changes;  ///< of all vertices

  template <int Stage>
  void prefetch(std::size_t i) const {
    const vertex_plan& plan = plans[i];
    mangrove::prefetch(graph.entries + plan.vertex);
    if (layout::kind(plan.old) == adjacency_kind::array) {
      mangrove::prefetch(layout::extent(graph.pool, plan.old.extent()));
    }
    if (layout::kind(plan.next) == adjacency_kind::array && plan.taken != vertex_plan::no_request) {
      mangrove::prefetch(layout::extent(graph.pool, plan.next.extent()));
    }
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    vertex_plan& plan = plans[i];
    if (plan.mode != vertex_mode::to_array) return;
    const vertex_changes<Bits> own = changes.of(starts, vertex_count, i);
    vertex_entry& entry = graph.entries[plan.vertex];
    const bool stays_inlined = plan.next.degree <= layout::inline_capacity;
    const array to =
        stays_inlined ? array::inlined(&entry) : array::in_extent(graph.pool, plan.next.extent(), plan.next.granules());
    const std::uint32_t survivors =
        layout::kind(plan.old) == adjacency_kind::hash ? gather(plan, to) : pack(plan, own, to);
    merge_inserts(own, to, survivors, plan.next.degree);
    if (stays_inlined) {
      entry.degree = plan.next.degree;
    } else {
      entry = plan.next;
    }
  }

 private:
  /// Copies what the old array keeps, with weights as the batch overwrites them. Both are ascending.
  MANGROVE_HOST_DEVICE std::uint32_t pack(vertex_plan& plan, const vertex_changes<Bits>& own, const array& to) const {
    const array from = array::of(graph.pool, &plan.old);
    std::uint32_t kept = 0;
    std::size_t change = own.first;
    for (std::uint32_t k = 0; k < plan.old.degree; ++k) {
      const std::uint32_t v = from.keys[k];
      while (change < own.last && key_target(own.edges[change]) < v) ++change;
      const bool changed = change < own.last && key_target(own.edges[change]) == v;
      if (changed && own.actions[change] == edge_action::erase) continue;
      to.keys[kept] = v;
      if constexpr (!is_none<Bits>) to.weights[kept] = changed ? own.weights[change] : from.weights[k];
      ++kept;
    }
    return kept;
  }

  /// Collects what is left in the old table, in which the batch's erases and overwrites have been done, and sorts it.
  MANGROVE_HOST_DEVICE std::uint32_t gather(const vertex_plan& plan, const array& to) const {
    const auto table = graph.table_of(plan.old);
    std::uint32_t kept = 0;
    for (std::uint32_t bucket = 0; bucket < table.buckets(); ++bucket) {
      for (std::uint32_t slot = 0; slot < layout::table::slots; ++slot) {
        const std::uint32_t v = table.keys(bucket)[slot];
        if (!slot_mark<std::uint32_t>::storable(v)) continue;
        std::uint32_t at = kept++;
        for (; at > 0 && to.keys[at - 1] > v; --at) move_up(to, at - 1, 1);
        to.keys[at] = v;
        if constexpr (!is_none<Bits>) to.weights[at] = table.values(bucket)[slot];
      }
    }
    return kept;
  }

  MANGROVE_HOST_DEVICE static void merge_inserts(const vertex_changes<Bits>& own, const array& to,
                                                 std::uint32_t survivors, std::uint32_t degree) {
    std::uint32_t inserts = degree - survivors;  // as many still go in front of position survivors + inserts
    for (std::size_t change = own.last; inserts > 0; --change) {
      if (own.actions[change - 1] != edge_action::insert) continue;
      const std::uint32_t v = key_target(own.edges[change - 1]);
      while (survivors > 0 && to.keys[survivors - 1] > v) {
        --survivors;
        move_up(to, survivors, inserts);
      }
      --inserts;
      to.keys[survivors + inserts] = v;
      if constexpr (!is_none<Bits>) to.weights[survivors + inserts] = own.weights[change - 1];
    }
  }

  MANGROVE_HOST_DEVICE static void move_up(const array& to, std::uint32_t from, std::uint32_t by) {
    to.keys[from + by] = to.keys[from];
    if constexpr (!is_none<Bits>) to.weights[from + by] = to.weights[from];
  }
};

}  // namespace mangrove::detail
