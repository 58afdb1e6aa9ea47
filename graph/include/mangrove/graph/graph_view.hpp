#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "mangrove/adjacency/slab_hash_ref.hpp"
#include "mangrove/graph/detail/adjacency_view.hpp"

namespace mangrove {

/// A vertex's position in the dictionary. With dense ids it is the id; with sparse ids `graph_view` translates.
using vertex_index = std::uint32_t;

/// What `graph_view::index` gives for an id that is not in the graph.
inline constexpr vertex_index no_vertex = ~vertex_index{0};

/// A graph as bodies, kernels and lambdas see it: trivially copyable, taken by value, valid until the next batch is
/// applied to the graph. It reads memory of the graph's backend.
///
/// All functions take vertex indices below `index_count()`. Those that take a tile must be called by all its lanes
/// with the same arguments; those without one by any lane alone. Any number of tiles may read at the same time; nobody
/// may apply a batch meanwhile.
///
/// @tparam Vertex type of vertex ids, std::uint32_t or std::uint64_t
/// @tparam Weight type of edge weights, `none` for an unweighted graph
template <class Vertex, class Weight>
class graph_view {
 public:
  graph_view() = default;

  /// Number of vertex indices: every vertex's index is below it; indices of erased vertices are too, with degree 0.
  [[nodiscard]] MANGROVE_HOST_DEVICE vertex_index index_count() const { return index_count_; }

  /// Whether a vertex has this index. @pre index < index_count()
  [[nodiscard]] MANGROVE_HOST_DEVICE bool exists(vertex_index index) const {
    return (present_[index / 32] >> (index % 32) & 1) != 0;
  }

  /// The id of the vertex with this index.
  [[nodiscard]] MANGROVE_HOST_DEVICE Vertex id(vertex_index index) const {
    return ids_ == nullptr ? static_cast<Vertex>(index) : ids_[index];
  }

  /// The index of the vertex with this id, `no_vertex` when there is none.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE vertex_index index(const Tile& tile, Vertex id) const {
    if (ids_ == nullptr) {
      return id < index_count_ && exists(static_cast<vertex_index>(id)) ? static_cast<vertex_index>(id) : no_vertex;
    }
    const auto found = indices_.template find<access::plain>(tile, id);
    return found && exists(*found) ? *found : no_vertex;
  }

  /// Number of neighbours (out-neighbours in a directed graph).
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t degree(vertex_index u) const { return adjacency_.entries[u].degree; }

  /// Whether the edge (u, v) is in the graph. Cost: at most two dependent reads of memory, as a rule; of a
  /// B-tree two more, and one more for every factor of 32 that u has more neighbours than about 800.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE bool contains(const Tile& tile, vertex_index u, vertex_index v) const {
    return adjacency_.locate(tile, u, v).found;
  }

  /// Asks for what looking up (u, v) reads: stage 0 for u's entry, stage 1, a while later, for where the edge would be.
  /// For the `prefetch` members of bodies (see `staged_body` in core/for_each.hpp). Any u is allowed, `no_vertex` too.
  template <int Stage>
  void prefetch_edge(vertex_index u, vertex_index v) const {
    adjacency_.template prefetch<Stage>(u, v);
  }

  /// The weight of the edge (u, v), or `missing` when it is not in the graph.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE Weight weight(const Tile& tile, vertex_index u, vertex_index v,
                                                   Weight missing) const requires(!is_none<Weight>) {
    const auto at = adjacency_.locate(tile, u, v);
    return at.found ? *at.weight : missing;
  }

  /// Calls `f(v)`, or `f(v, weight)`, once for every neighbour v of u, in a lane each. The calls of a lane, and so
  /// those of a tile of one lane, ascend by v where u's neighbours are kept sorted: in the entry, an array or a B-tree,
  /// but not in a hash table (see `adjacency_policy`).
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void for_each_neighbor(const Tile& tile, vertex_index u, F f) const {
    adjacency_.for_each_neighbor(tile, u, [&](vertex_index v, const Weight* weight) { call(f, v, weight); });
  }

  /// The same for the neighbours v with low <= v < high.
  /// Cost: of a vertex with a B-tree, two searches and a read of the leaves that hold them; of others, a look at all.
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void for_each_neighbor_in(const Tile& tile, vertex_index u, vertex_index low, vertex_index high,
                                                 F f) const {
    adjacency_.for_each_neighbor_in(tile, u, low, high,
                                    [&](vertex_index v, const Weight* weight) { call(f, v, weight); });
  }

  /// Calls `f(w)` once for every common neighbour w of u and v, in a lane each; no order is promised.
  /// Cost: the smaller of the two degrees probes into the other vertex's adjacency.
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void intersect(const Tile& tile, vertex_index u, vertex_index v, F f) const {
    const bool swap = degree(v) < degree(u);
    const vertex_index small = swap ? v : u;
    const vertex_index large = swap ? u : v;
    const auto lane = tile.solo();
    adjacency_.for_each_neighbor_in_turn(tile, small, [&](vertex_index w, const Weight*) {
      if (contains(lane, large, w)) f(w);
    });
  }

 private:
  template <backend B, class V, class W>
  friend class dynamic_graph;

  template <class F>
  MANGROVE_HOST_DEVICE static void call(F& f, vertex_index v, const Weight* weight) {
    if constexpr (is_none<Weight>) {
      f(v);
    } else if constexpr (std::is_invocable_v<F&, vertex_index, Weight>) {
      f(v, *weight);
    } else {
      f(v);
    }
  }

  detail::adjacency_view<Weight> adjacency_;
  const std::uint32_t* present_ = nullptr;  ///< one bit an index
  const Vertex* ids_ = nullptr;             ///< ids by index; null when they are the indices
  slab_hash_ref<Vertex, vertex_index> indices_;
  vertex_index index_count_ = 0;
};

}  // namespace mangrove
