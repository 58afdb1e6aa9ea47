#pragma once

#include <optional>
#include <utility>

#include "batch_triangles.hpp"
#include "mangrove/algorithms/triangle_count.hpp"
#include "mangrove/algorithms/triangle_counter.hpp"
#include "mangrove/graph/placed_batch.hpp"
#include "recount.hpp"
#include "undirected_rows.hpp"

/// @file
/// The members of `triangle_counter`. Included by the files that instantiate it, after the backend's `for_each_tile`.

namespace mangrove {

namespace detail::triangles {

/// What counting anew costs for each edge of the graph, and what a batch's edge costs besides its lookups; both in
/// lookups of a neighbour. Measured on a CPU, see docs/triangle_counting.md.
inline constexpr std::uint64_t probes_per_recounted_edge = 16;
inline constexpr std::uint64_t probes_per_batch_edge = 32;

/// Select takes 32-bit positions; larger graphs are never counted anew for a batch.
inline constexpr std::uint64_t largest_recount = std::uint64_t{1} << 32;

}  // namespace detail::triangles

template <backend B, class Vertex, class Weight>
triangle_counter<B, Vertex, Weight>::triangle_counter(const resources<B>& res, dynamic_graph<B, Vertex, Weight>& graph,
                                                      recount_policy policy)
    : graph_(&graph), policy_(policy), value_(mangrove::triangle_count(res, graph)) {}

template <backend B, class Vertex, class Weight>
triangle_change triangle_counter<B, Vertex, Weight>::update(const resources<B>& res,
                                                            const batch_view<B, Vertex, Weight>& batch) {
  if (const auto seen = graph_->preview(res, batch)) {
    return count_around(res, *seen, [&] { return graph_->apply(res, batch); });
  }
  graph_change<B> change = graph_->prepare(res, batch);
  return count_around(res, change, [&] { return graph_->commit(res, change); });
}

template <backend B, class Vertex, class Weight>
triangle_change triangle_counter<B, Vertex, Weight>::update(const resources<B>& res, const update_batch& batch) {
  return update(res, placed_batch<B, Vertex, Weight>(res, batch).view());
}

template <backend B, class Vertex, class Weight>
bool triangle_counter<B, Vertex, Weight>::recounts(const update_counts& counts, std::uint64_t probes) const {
  using namespace detail::triangles;
  const std::uint64_t edges = graph_->edge_count() + counts.inserted;
  const std::uint64_t changes = counts.inserted + counts.erased + counts.detached;
  if (policy_ == recount_policy::never || edges >= largest_recount) return false;
  return policy_ == recount_policy::always ||
         probes + probes_per_batch_edge * changes > probes_per_recounted_edge * edges;
}

/// Everything of the count's own that may be refused comes before the graph changes; what depends on the graph after it
/// needs no memory. @param apply changes the graph, whole or not at all
template <backend B, class Vertex, class Weight>
template <class Apply>
triangle_change triangle_counter<B, Vertex, Weight>::count_around(const resources<B>& res,
                                                                  const graph_change<B>& change, const Apply& apply) {
  using namespace detail::triangles;
  triangle_change result;
  std::optional<batch_count<B>> lost, gained;
  std::uint64_t probes = 0;
  const auto plan = [&](std::optional<batch_count<B>>& count, edge_action kind) {
    count.emplace(res, graph_->view(), change, kind);
    probes += count->probes();
  };
  if (change.counts.erased + change.counts.detached != 0) plan(lost, edge_action::erase);
  if (change.counts.inserted != 0) plan(gained, edge_action::insert);

  if (change.size() != 0 && recounts(change.counts, probes)) {
    const auto [more, less] = recount(res, view_of(undirected_rows(res, *graph_)), change, value_);
    result.gained = more;
    result.lost = less;
    result.method = triangle_method::recount;
    gained.reset();
  } else if (lost) {
    result.lost = lost->run(res, graph_->view());
  }
  result.counts = apply();
  if (gained) result.gained = gained->run(res, graph_->view());
  value_ += result.gained - result.lost;
  return result;
}

}  // namespace mangrove
