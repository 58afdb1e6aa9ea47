#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "mangrove/graph/detail/adjacency_view.hpp"

namespace mangrove {

namespace detail {

/// Four keys, one load of a lane: all that a lane reads at a time is under way before the first key is used.
struct alignas(16) key_quad {
  static constexpr std::uint32_t size = 4;

  std::uint32_t keys[size];

  /// @param from aligned to 16 bytes
  MANGROVE_HOST_DEVICE static key_quad load(const std::uint32_t* from) {
#if defined(__CUDA_ARCH__)
    return *reinterpret_cast<const key_quad*>(from);
#else
    key_quad quad;
    __builtin_memcpy(&quad, from, sizeof(quad));
    return quad;
#endif
  }
};

}  // namespace detail

/// Some neighbours of one vertex: all of them, or those in a stretch of a large hash table. What `for_each_chunk` hands
/// to its body; valid during the call.
///
/// @tparam Weight type of edge weights, `none` without
template <class Weight>
class edge_chunk {
  using layout = detail::entry_layout<Weight>;
  using slab_keys = detail::key_quad;

 public:
  using table = typename layout::table;

  /// All neighbours of a vertex. @pre u < graph.entry_count
  MANGROVE_HOST_DEVICE edge_chunk(const detail::adjacency_view<Weight>& graph, std::uint32_t u)
      : pool_(graph.pool), entry_(graph.entries + u), source_(u), kind_(layout::kind(*entry_)), whole_(true) {
    last_ = kind_ == detail::adjacency_kind::hash ? slabs(*entry_) : entry_->degree;
  }

  /// Those in the slabs [first, last) of a vertex with a hash table, while other tiles work on the other slabs.
  MANGROVE_HOST_DEVICE edge_chunk(const detail::adjacency_view<Weight>& graph, std::uint32_t u, std::uint32_t first,
                                  std::uint32_t last)
      : pool_(graph.pool), entry_(graph.entries + u), source_(u), first_(first), kind_(detail::adjacency_kind::hash) {
    const std::uint32_t all = slabs(*entry_);
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
    if (kind_ == detail::adjacency_kind::hash) {
      walk_table(tile, f);
    } else if (kind_ == detail::adjacency_kind::array) {
      walk_array(tile, f);
    } else {
      const auto array = detail::neighbor_array<Weight>::inlined(const_cast<detail::vertex_entry*>(entry_));
      tile.strided(last_, [&](std::size_t i) { f(array.keys[i], array.weights + i); });
    }
  }

  /// What the library's own bodies need to change a chunk.
  [[nodiscard]] MANGROVE_HOST_DEVICE detail::adjacency_kind kind() const { return kind_; }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t first_slab() const { return first_; }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t last_slab() const { return last_; }
  [[nodiscard]] MANGROVE_HOST_DEVICE table slab_table() const { return layout::table_of(pool_, *entry_); }

 private:
  MANGROVE_HOST_DEVICE static std::uint32_t slabs(const detail::vertex_entry& entry) {
    return entry.granules() / granules_per_slab;
  }

  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void walk_array(const Tile& tile, F& f) const {
    const auto array = detail::neighbor_array<Weight>::in_extent(pool_, entry_->extent(), entry_->granules());
    const std::uint32_t degree = last_;
    tile.strided((degree + slab_keys::size - 1) / slab_keys::size, [&](std::size_t q) {
      const auto first = static_cast<std::uint32_t>(q) * slab_keys::size;
      const slab_keys quad = slab_keys::load(array.keys + first);
      for (std::uint32_t j = 0; j < slab_keys::size; ++j) {
        if (first + j < degree) f(quad.keys[j], array.weights + first + j);
      }
    });
  }

  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void walk_table(const Tile& tile, F& f) const {
    constexpr std::uint32_t quads = (table::slots + slab_keys::size - 1) / slab_keys::size;
    const table in = slab_table();
    tile.strided(static_cast<std::size_t>(last_ - first_) * quads, [&](std::size_t q) {
      const std::uint32_t bucket = first_ + static_cast<std::uint32_t>(q / quads);
      const std::uint32_t first = static_cast<std::uint32_t>(q % quads) * slab_keys::size;
      const slab_keys quad = slab_keys::load(in.keys(bucket) + first);
      for (std::uint32_t j = 0; j < slab_keys::size; ++j) {
        const bool slot = table::slots % slab_keys::size == 0 || first + j < table::slots;
        if (slot && table::mark::storable(quad.keys[j])) f(quad.keys[j], in.values(bucket) + first + j);
      }
    });
  }

  std::byte* pool_;
  const detail::vertex_entry* entry_;
  std::uint32_t source_;
  std::uint32_t first_ = 0;  ///< slabs of a table, otherwise neighbours
  std::uint32_t last_ = 0;
  detail::adjacency_kind kind_;
  bool whole_ = false;
};

}  // namespace mangrove
