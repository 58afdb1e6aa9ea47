#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "mangrove/graph/csr.hpp"
#include "mangrove/graph/edge_list.hpp"
#include "mangrove/graph/graph_change.hpp"
#include "mangrove/graph/graph_options.hpp"
#include "mangrove/graph/graph_view.hpp"
#include "mangrove/graph/update.hpp"

namespace mangrove {

/// Memory that a graph holds, in bytes, and how its vertices keep their neighbours.
struct graph_memory {
  std::uint64_t dictionary = 0;  ///< dictionary entries, presence bits and the tables that translate ids
  std::uint64_t extents = 0;     ///< extents in use
  std::uint64_t committed = 0;   ///< all memory mapped for the graph, used or not
  std::uint64_t free_lists = 0;  ///< beside it: lists of the extents that are not in use
  /// Vertices with edges, by kind.
  std::uint64_t inlined_vertices = 0, array_vertices = 0, hash_vertices = 0, tree_vertices = 0;
  /// Their directed edges.
  std::uint64_t inlined_edges = 0, array_edges = 0, hash_edges = 0, tree_edges = 0;
};

/// A graph that changes by batches of updates. Movable, not copyable.
///
/// @tparam B where it lives and who works on it: `cpu` or `cuda`
/// @tparam Vertex vertex ids: std::uint32_t or std::uint64_t
/// @tparam Weight edge weights: `none`, float or double
///
/// Instantiated in the libraries `mangrove::cpu` and `mangrove::cuda` for these types. The graph holds at most 2^32 - 8
/// vertices and 128 GiB of adjacency. Not thread-safe: one batch at a time, views are read between batches.
template <backend B, class Vertex = std::uint32_t, class Weight = none>
class dynamic_graph {
 public:
  using view_type = graph_view<Vertex, Weight>;

  /// An empty graph. Reserves addresses, hardly any memory.
  explicit dynamic_graph(const resources<B>& res, const graph_options& options = {});
  dynamic_graph(dynamic_graph&&) noexcept;
  dynamic_graph& operator=(dynamic_graph&&) noexcept;
  ~dynamic_graph();

  /// Maps memory ahead for so many directed edges in all, so that batches hardly have to wait for it until the graph
  /// has them: half as much again as targets and weights take in a CSR. It is the graph's from then on, used or not;
  /// what the edges take in the end depends on degrees and on the batches that they come in.
  /// @throws memory_error when memory is refused; the graph is as it was
  void reserve(std::uint64_t directed_edges);

  /// Applies a batch: the result is that of applying its updates in order. Whole or not at all.
  ///
  /// @param batch updates in the backend's memory, at most 2^31 of them
  /// @return the exact net effect
  /// @throws memory_error when memory is refused; the graph is as it was
  /// @throws usage_error when a dense id is 2^32 - 8 or more; the graph is as it was
  /// Cost: in proportion to the batch and to the adjacencies it makes grow; batches that mix updates of edges and
  /// vertices are sorted. Erasing vertices reads the adjacencies of their neighbours; of a directed graph, all.
  update_counts apply(const resources<B>& res, const batch_view<B, Vertex, Weight>& batch);

  /// Applies a batch in host memory: ids are converted and copied to the backend, weights converted (`placed_batch`).
  /// @throws usage_error also when an id is beyond the type `Vertex`
  update_counts apply(const resources<B>& res, const update_batch& batch);

  /// Inserts a list of edges from host memory, making its `vertex_count` vertices, ids 1 to vertex_count, exist as
  /// well.
  update_counts insert(const resources<B>& res, const edge_list& edges);

  /// The first half of `apply`: finds out what a batch will do and secures all memory for it. The graph does not
  /// change.
  graph_change<B> prepare(const resources<B>& res, const batch_view<B, Vertex, Weight>& batch);
  graph_change<B> prepare(const resources<B>& res, const update_batch& batch);

  /// The second half of `apply`. `change` must come from the last `prepare` of this graph; its edges and actions stay
  /// readable, its plan is used up. @throws usage_error when it is not that change
  update_counts commit(const resources<B>& res, graph_change<B>& change);

  /// What `apply` would do to the edges, for who reads them before and after: in less time than `prepare` and `commit`
  /// take, where `apply` has no need of them. The graph does not change; the change has no plan, and counts no
  /// vertices.
  /// @return nothing for a batch that updates vertices, a graph with `id_space::sparse` or `adjacency_policy::tree`
  /// @throws memory_error, usage_error as `apply` does
  std::optional<graph_change<B>> preview(const resources<B>& res, const batch_view<B, Vertex, Weight>& batch) const;
  std::optional<graph_change<B>> preview(const resources<B>& res, const update_batch& batch) const;

  [[nodiscard]] const graph_options& options() const noexcept;
  [[nodiscard]] std::uint64_t vertex_count() const noexcept;
  /// Number of edges; an undirected edge counts once.
  [[nodiscard]] std::uint64_t edge_count() const noexcept;
  /// Number of directed edges as they are stored: twice an undirected edge, once a self loop.
  [[nodiscard]] std::uint64_t directed_edge_count() const noexcept;
  /// Number of vertex indices, see `graph_view`.
  [[nodiscard]] vertex_index index_count() const noexcept;

  /// A handle for bodies, kernels and lambdas; valid until the next `apply` or `commit`.
  [[nodiscard]] view_type view() const noexcept;

  /// Writes to `found[i]` 1 if the edge (sources[i], targets[i]), by ids, is in the graph, else 0. Arrays of `count`
  /// elements in the backend's memory.
  void contains(const resources<B>& res, const Vertex* sources, const Vertex* targets, std::uint8_t* found,
                std::size_t count) const;

  /// All edges in rows by vertex index, neighbours ascending. Cost: a pass over the adjacencies and a sort
  /// of the rows of hash tables.
  [[nodiscard]] csr<B, Weight> to_csr(const resources<B>& res) const;
  [[nodiscard]] coo<B, Weight> to_coo(const resources<B>& res) const;

  [[nodiscard]] graph_memory memory(const resources<B>& res) const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace mangrove
