#pragma once

#include <optional>
#include <utility>

#include "edge_list_batch.hpp"
#include "export_edges.hpp"
#include "graph_memory.hpp"
#include "graph_state.hpp"
#include "mangrove/graph/dynamic_graph.hpp"
#include "mangrove/graph/placed_batch.hpp"

/// @file
/// The members of `dynamic_graph`. Included by the files that instantiate it, after the backend's `for_each_tile`.

namespace mangrove {

template <backend B, class Vertex, class Weight>
struct dynamic_graph<B, Vertex, Weight>::state : detail::graph_state<B, Vertex, Weight> {
  using detail::graph_state<B, Vertex, Weight>::graph_state;
};

template <backend B, class Vertex, class Weight>
dynamic_graph<B, Vertex, Weight>::dynamic_graph(const resources<B>& res, const graph_options& options)
    : state_(std::make_unique<state>(res, options)) {}

template <backend B, class Vertex, class Weight>
dynamic_graph<B, Vertex, Weight>::dynamic_graph(dynamic_graph&&) noexcept = default;

template <backend B, class Vertex, class Weight>
dynamic_graph<B, Vertex, Weight>& dynamic_graph<B, Vertex, Weight>::operator=(dynamic_graph&&) noexcept = default;

template <backend B, class Vertex, class Weight>
dynamic_graph<B, Vertex, Weight>::~dynamic_graph() = default;

template <backend B, class Vertex, class Weight>
graph_change<B> dynamic_graph<B, Vertex, Weight>::prepare(const resources<B>& res,
                                                          const batch_view<B, Vertex, Weight>& batch) {
  return state_->prepare(res, batch);
}

template <backend B, class Vertex, class Weight>
graph_change<B> dynamic_graph<B, Vertex, Weight>::prepare(const resources<B>& res, const update_batch& batch) {
  return prepare(res, placed_batch<B, Vertex, Weight>(res, batch).view());
}

template <backend B, class Vertex, class Weight>
std::optional<graph_change<B>> dynamic_graph<B, Vertex, Weight>::preview(
    const resources<B>& res, const batch_view<B, Vertex, Weight>& batch) const {
  return state_->preview(res, batch);
}

template <backend B, class Vertex, class Weight>
std::optional<graph_change<B>> dynamic_graph<B, Vertex, Weight>::preview(const resources<B>& res,
                                                                         const update_batch& batch) const {
  return preview(res, placed_batch<B, Vertex, Weight>(res, batch).view());
}

template <backend B, class Vertex, class Weight>
update_counts dynamic_graph<B, Vertex, Weight>::commit(const resources<B>& res, graph_change<B>& change) {
  return state_->commit(res, change);
}

template <backend B, class Vertex, class Weight>
update_counts dynamic_graph<B, Vertex, Weight>::apply(const resources<B>& res,
                                                      const batch_view<B, Vertex, Weight>& batch) {
  return state_->apply(res, batch);
}

template <backend B, class Vertex, class Weight>
update_counts dynamic_graph<B, Vertex, Weight>::apply(const resources<B>& res, const update_batch& batch) {
  return apply(res, placed_batch<B, Vertex, Weight>(res, batch).view());
}

template <backend B, class Vertex, class Weight>
update_counts dynamic_graph<B, Vertex, Weight>::insert(const resources<B>& res, const edge_list& edges) {
  const std::uint32_t vertices = detail::checked_vertex_count(edges);
  if (vertices != 0 && options().ids == id_space::sparse) return apply(res, detail::with_vertices(edges));
  const placed_batch<B, Vertex, Weight> batch(res, edges);
  return state_->apply(res, batch.view(), vertices);
}

template <backend B, class Vertex, class Weight>
void dynamic_graph<B, Vertex, Weight>::reserve(std::uint64_t directed_edges) {
  state_->reserve(directed_edges);
}

template <backend B, class Vertex, class Weight>
const graph_options& dynamic_graph<B, Vertex, Weight>::options() const noexcept {
  return state_->options();
}

template <backend B, class Vertex, class Weight>
std::uint64_t dynamic_graph<B, Vertex, Weight>::vertex_count() const noexcept {
  return state_->presence().count();
}

template <backend B, class Vertex, class Weight>
std::uint64_t dynamic_graph<B, Vertex, Weight>::edge_count() const noexcept {
  return state_->edge_count();
}

template <backend B, class Vertex, class Weight>
std::uint64_t dynamic_graph<B, Vertex, Weight>::directed_edge_count() const noexcept {
  return state_->store().directed_edges();
}

template <backend B, class Vertex, class Weight>
vertex_index dynamic_graph<B, Vertex, Weight>::index_count() const noexcept {
  return state_->index_count();
}

template <backend B, class Vertex, class Weight>
graph_view<Vertex, Weight> dynamic_graph<B, Vertex, Weight>::view() const noexcept {
  const auto adjacency = state_->store().view();
  view_type made;
  made.adjacency_ = {adjacency.entries, adjacency.pool, adjacency.entry_count};
  made.present_ = state_->presence().data();
  made.index_count_ = state_->index_count();
  if (state_->ids()) {
    made.ids_ = state_->ids()->ids();
    made.indices_ = state_->ids()->ref();
  }
  return made;
}

namespace detail {

/// Body: looks one edge up by ids.
template <class Vertex, class Weight>
struct find_edge {
  static constexpr int prefetch_stages = 2;

  graph_view<Vertex, Weight> graph;
  bool dense;  ///< ids are indices, so what they lead to can be asked for early
  const Vertex* sources;
  const Vertex* targets;
  std::uint8_t* found;

  template <int Stage>
  void prefetch(std::size_t i) const {
    if (!dense || sources[i] >= graph.index_count()) return;
    graph.template prefetch_edge<Stage>(static_cast<vertex_index>(sources[i]), static_cast<vertex_index>(targets[i]));
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const vertex_index u = graph.index(tile, sources[i]);
    const vertex_index v = graph.index(tile, targets[i]);
    const bool there = u != no_vertex && v != no_vertex && graph.contains(tile, u, v);
    if (tile.lane() == 0) found[i] = there;
  }
};

/// Weights are kept as bits of their size; this gives a buffer of them its type back.
template <class Weight, backend B, class Bits>
buffer<B, Weight> as_weights(const resources<B>& res, const buffer<B, Bits>& weights) {
  buffer<B, Weight> typed(res, weights.size());
  copy(res, typed.data(), reinterpret_cast<const Weight*>(weights.data()), weights.size());
  return typed;
}

}  // namespace detail

template <backend B, class Vertex, class Weight>
void dynamic_graph<B, Vertex, Weight>::contains(const resources<B>& res, const Vertex* sources, const Vertex* targets,
                                                std::uint8_t* found, std::size_t count) const {
  for_each_tile<1>(
      res, count, detail::find_edge<Vertex, Weight>{view(), options().ids == id_space::dense, sources, targets, found});
}

template <backend B, class Vertex, class Weight>
csr<B, Weight> dynamic_graph<B, Vertex, Weight>::to_csr(const resources<B>& res) const {
  using bits = detail::weight_bits<Weight>;
  const auto graph = state_->store().view();
  auto made = detail::export_rows<B, bits>(res, graph, directed_edge_count(), index_count(), false);
  csr<B, Weight> rows;
  rows.offsets = std::move(made.offsets);
  rows.targets = std::move(made.targets);
  if constexpr (!is_none<Weight>) rows.weights = detail::as_weights<Weight>(res, made.weights);
  return rows;
}

template <backend B, class Vertex, class Weight>
coo<B, Weight> dynamic_graph<B, Vertex, Weight>::to_coo(const resources<B>& res) const {
  using bits = detail::weight_bits<Weight>;
  const auto graph = state_->store().view();
  auto made = detail::export_rows<B, bits>(res, graph, directed_edge_count(), index_count(), true);
  coo<B, Weight> list;
  list.sources = std::move(made.sources);
  list.targets = std::move(made.targets);
  if constexpr (!is_none<Weight>) list.weights = detail::as_weights<Weight>(res, made.weights);
  return list;
}

template <backend B, class Vertex, class Weight>
graph_memory dynamic_graph<B, Vertex, Weight>::memory(const resources<B>& res) const {
  const auto& store = state_->store();
  const detail::kind_counts kinds = detail::count_by_kind<B>(res, store.view());
  const auto vertices = [&](detail::adjacency_kind kind) { return kinds.vertices[static_cast<int>(kind)]; };
  const auto edges = [&](detail::adjacency_kind kind) { return kinds.edges[static_cast<int>(kind)]; };
  const std::size_t id_bytes = state_->ids() ? state_->ids()->bytes() : 0;
  graph_memory memory;
  memory.dictionary = store.entries().size() * sizeof(detail::vertex_entry) + index_count() / 8 + id_bytes;
  memory.extents = store.pool().bytes_in_use();
  memory.committed = store.entries().bytes() + store.pool().bytes_committed() + state_->presence().bytes() + id_bytes;
  memory.free_lists = store.pool().bytes_of_lists();
  memory.inlined_vertices = vertices(detail::adjacency_kind::inlined);
  memory.array_vertices = vertices(detail::adjacency_kind::array);
  memory.hash_vertices = vertices(detail::adjacency_kind::hash);
  memory.tree_vertices = vertices(detail::adjacency_kind::tree);
  memory.inlined_edges = edges(detail::adjacency_kind::inlined);
  memory.array_edges = edges(detail::adjacency_kind::array);
  memory.hash_edges = edges(detail::adjacency_kind::hash);
  memory.tree_edges = edges(detail::adjacency_kind::tree);
  return memory;
}

}  // namespace mangrove
