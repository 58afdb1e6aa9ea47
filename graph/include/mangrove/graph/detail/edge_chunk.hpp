#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "mangrove/graph/detail/adjacency_view.hpp"
#include "mangrove/graph/detail/inlined_walk.hpp"
#include "mangrove/graph/detail/key_quads.hpp"

namespace mangrove {

/// Some neighbours of one vertex: all of them, or those in a stretch of a large hash table or B-tree. What
/// `for_each_chunk` hands to its body; valid during the call.
///
/// @tparam Weight type of edge weights, `none` without
template <class Weight>
class edge_chunk {
  using layout = detail::entry_layout<Weight>;

 public:
  using table = typename layout::table;

  /// All neighbours of a vertex. @pre u < graph.entry_count
  MANGROVE_HOST_DEVICE edge_chunk(const detail::adjacency_view<Weight>& graph, std::uint32_t u)
      : edge_chunk(graph, u, graph.entries[u]) {}

  /// The same by who has read the entry.
  MANGROVE_HOST_DEVICE edge_chunk(const detail::adjacency_view<Weight>& graph, std::uint32_t u,
                                  const detail::vertex_entry& read)
      : pool_(graph.pool),
        entry_(graph.entries + u),
        source_(u),
        extent_(read.extent()),
        granules_(read.granules()),
        kind_(layout::kind(read)),
        whole_(true) {
    last_ = detail::has_slabs(kind_) ? layout::slabs(read) : read.degree;
  }

  /// Those in the slabs [first, last) of a vertex with a hash table or a tree, while other tiles work on the others.
  MANGROVE_HOST_DEVICE edge_chunk(const detail::adjacency_view<Weight>& graph, std::uint32_t u, std::uint32_t first,
                                  std::uint32_t last)
      : pool_(graph.pool),
        entry_(graph.entries + u),
        source_(u),
        extent_(entry_->extent()),
        granules_(entry_->granules()),
        first_(first),
        kind_(layout::kind_of_extent(*entry_)) {
    const std::uint32_t all = layout::slabs(*entry_);
    last_ = last < all ? last : all;
  }

  /// Index of the vertex whose neighbours these are.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t source() const { return source_; }

  /// Whether these are all neighbours of the vertex; otherwise there are further chunks, maybe with other tiles.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool whole() const { return whole_; }

  /// Calls `f(v)`, or `f(v, weight)`, once for every neighbour, in a lane each; no order is promised.
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void for_each(const Tile& tile, F f) const {
    for_each_slot(tile, [&](std::uint32_t v, const Weight* weight) {
      if constexpr (is_none<Weight> || std::is_invocable_v<F&, std::uint32_t>) {
        f(v);
      } else {
        f(v, *weight);
      }
    });
  }

  /// Calls `f(v, weight)`, with a pointer to the weight that means nothing without weights. For the library's bodies.
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void for_each_slot(const Tile& tile, F f) const {
    if constexpr (Tile::simd) {
      if (kind_ == detail::adjacency_kind::inlined) return detail::walk_inlined<Weight>(*entry_, f);
    }
    if (kind_ == detail::adjacency_kind::hash) {
      walk_table(tile, f);
    } else if (kind_ == detail::adjacency_kind::array) {
      walk_array(tile, f);
    } else if (kind_ == detail::adjacency_kind::tree) {
      tree().for_each(tile, first_, last_, f);
    } else {
      const auto array = detail::neighbor_array<Weight>::inlined(const_cast<detail::vertex_entry*>(entry_));
      detail::for_each_of_few(tile, last_, [&](std::uint32_t i) { f(array.keys[i], array.weights + i); });
    }
  }

  /// What the library's own bodies need to change a chunk.
  [[nodiscard]] MANGROVE_HOST_DEVICE detail::adjacency_kind kind() const { return kind_; }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t first_slab() const { return first_; }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t last_slab() const { return last_; }
  [[nodiscard]] MANGROVE_HOST_DEVICE table slab_table() const {
    return table(layout::extent(pool_, extent_), granules_ / granules_per_slab);
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE detail::tree_leaves<Weight> tree() const { return {pool_, *entry_}; }

 private:
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void walk_array(const Tile& tile, F& f) const {
    const auto array = detail::neighbor_array<Weight>::in_extent(pool_, extent_, granules_);
    detail::for_few_keys<layout::slab::slab_slots>(tile, array.keys, last_,
                                                   [&](std::uint32_t i, std::uint32_t v) { f(v, array.weights + i); });
  }

  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void walk_table(const Tile& tile, F& f) const {
    const table in = slab_table();
#if defined(__CUDA_ARCH__)
    constexpr std::uint32_t quads = (table::slots + detail::key_quad::size - 1) / detail::key_quad::size;
    tile.strided(static_cast<std::size_t>(last_ - first_) * quads, [&](std::size_t q) {
      const std::uint32_t bucket = first_ + static_cast<std::uint32_t>(q / quads);
      detail::for_each_in_quad(in.keys(bucket), static_cast<std::uint32_t>(q % quads), table::slots,
                               [&](std::uint32_t slot, std::uint32_t v) {
                                 if (table::mark::storable(v)) f(v, in.values(bucket) + slot);
                               });
    });
#else
    detail::walk_slabs(tile, in, first_, last_, f);
#endif
  }

  std::byte* pool_;
  const detail::vertex_entry* entry_;
  std::uint32_t source_;
  slab_index extent_;  ///< it and its granules mean nothing where neighbours are inlined
  std::uint32_t granules_;
  std::uint32_t first_ = 0;  ///< slabs of a table or leaves of a tree, otherwise neighbours
  std::uint32_t last_ = 0;
  detail::adjacency_kind kind_;
  bool whole_ = false;
};

}  // namespace mangrove
