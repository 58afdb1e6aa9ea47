#pragma once

#include <cstdint>

#include "mangrove/graph/dynamic_graph.hpp"

namespace mangrove {

/// How a `triangle_counter` found out what a batch changes.
enum class triangle_method : std::uint8_t {
  batch,   ///< by intersecting the neighbours of the ends of each changed edge
  recount  ///< by counting the whole graph, where that is less work
};

/// When a `triangle_counter` counts the whole graph anew for a batch.
enum class recount_policy : std::uint8_t { when_cheaper, never, always };

/// What a batch did to the number of triangles.
struct triangle_change {
  std::uint64_t gained = 0;  ///< triangles of the graph after that were not in the graph before
  std::uint64_t lost = 0;    ///< triangles of the graph before that are not in the graph after
  update_counts counts;      ///< what the batch did to the graph
  triangle_method method = triangle_method::batch;
};

/// The exact number of triangles of an undirected graph, kept up to date from batch to batch.
///
/// Each edge of the net batch (repeats and no-ops are gone) has a rank. For an edge (u, v) those common neighbours w
/// are counted for which neither (u, w) nor (v, w) is an edge of the batch of the same kind and of higher rank: the
/// triangles that erases break in the graph before, those that inserts close in the graph after, each once.
///
/// Self loops and weights play no role. Not thread-safe. Instantiated for the types of `dynamic_graph`.
template <backend B, class Vertex, class Weight>
class triangle_counter {
 public:
  /// Counts the triangles of `graph`, which must outlive the counter and, from now on, change through `update` only.
  /// @throws usage_error when the graph is directed
  /// @throws memory_error when memory is refused
  explicit triangle_counter(const resources<B>& res, dynamic_graph<B, Vertex, Weight>& graph,
                            recount_policy policy = recount_policy::when_cheaper);

  /// Applies a batch to the graph and updates the count.
  ///
  /// Cost: that of `dynamic_graph::apply` and, for each net edge, the smaller degree of its ends; for batches so large
  /// that this exceeds the cost of counting anew, the latter. Memory: 16 bytes a net directed edge meanwhile; when it
  /// counts anew, that of `triangle_count`.
  /// @throws memory_error, usage_error as `dynamic_graph::apply` does; graph and count are as they were
  triangle_change update(const resources<B>& res, const batch_view<B, Vertex, Weight>& batch);
  /// A batch in host memory: ids and weights are converted, and copied to the backend.
  /// @throws usage_error also when an id is beyond the type `Vertex`
  triangle_change update(const resources<B>& res, const update_batch& batch);

  /// The number of triangles of the graph as it is now.
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  [[nodiscard]] bool recounts(const update_counts& counts, std::uint64_t probes) const;
  template <class Apply>
  triangle_change count_around(const resources<B>& res, const graph_change<B>& change, const Apply& apply);

  dynamic_graph<B, Vertex, Weight>* graph_;
  recount_policy policy_;
  std::uint64_t value_ = 0;
};

}  // namespace mangrove
