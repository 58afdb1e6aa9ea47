#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "mangrove/core/atomic.hpp"
#include "mangrove/core/buffer.hpp"
#include "mangrove/graph/detail/edge_chunk.hpp"

/// @file
/// Walking adjacencies so that every tile has about as much to do: what fits into a granule is one lane's, what fits
/// into a few slabs is one tile's, and larger tables are listed in chunks, which tiles of a second launch share.
///
/// A body for it is `template <class Tile> void operator()(const Tile&, const edge_chunk<Weight>&) const`; it is called
/// with tiles of several widths. Where it has a member `bool alone(u)`, vertices for which that is true are one lane's.
/// A body that changes entries has a member `changes_entries`, true: nobody else may look at those that it is at.

namespace mangrove::detail {

/// Chunks of large tables that wait for the second launch.
struct chunk_list {
  struct item {
    std::uint32_t vertex;
    std::uint32_t first_slab;
  };
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};

  item* items;
  std::uint32_t* count;  ///< may pass the capacity
  std::uint32_t capacity;
  std::uint32_t chunk_slabs;

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t size() const { return *count < capacity ? *count : capacity; }

  /// Lists all chunks of a vertex. Called by all lanes of a tile. @return whether there was room
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE bool append(const Tile& tile, std::uint32_t vertex, std::uint32_t slabs) const {
    const std::uint32_t chunks = (slabs + chunk_slabs - 1) / chunk_slabs;
    const std::uint32_t at = tile.elect([&] { return fetch_add(count, chunks); });
    const std::uint32_t left = at < capacity ? capacity - at : 0;
    const bool fits = chunks <= left;
    tile.strided(fits ? chunks : left, [&](std::size_t k) {
      items[at + k] = {fits ? vertex : nobody, static_cast<std::uint32_t>(k) * chunk_slabs};
    });
    return fits;
  }
};

template <class Body>
concept entry_changing_body = requires {
  requires Body::changes_entries;
};

/// Body: walks `Width` vertices; lists those that are too large.
template <int Width, class Weight, class Vertices, class Body>
struct walk_group {
  static constexpr std::uint32_t most_slabs = 8;  ///< of a table that one tile walks
  using layout = entry_layout<Weight>;

  adjacency_view<Weight> graph;
  Vertices vertices;
  std::size_t count;
  chunk_list large;
  Body body;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t group) const {
    const std::size_t first = group * Width;
    if constexpr (Tile::simd) return walk_in_order(tile, first, count - first < Width ? count : first + Width);
    std::uint32_t together = tile.template match<Width>(
        [&](int k) { return first + k < count && !walk_alone(tile.solo(), vertices(first + k)); });
    for (; together != 0; together &= together - 1) {
      walk_together(tile, vertices(first + lowest_bit(together)));
    }
  }

 private:
  static constexpr std::size_t ahead = 24;  ///< vertices whose extents a thread has asked for

  /// By a thread, for which all lanes are one. The vertices ahead may be another thread's.
  template <class Tile>
  MANGROVE_HOST_DEVICE void walk_in_order(const Tile& tile, std::size_t first, std::size_t last) const {
    if constexpr (entry_changing_body<Body>) {
      for (std::size_t i = first; i < last; ++i) ask_for(vertices(i));
    }
    for (std::size_t i = first; i < last; ++i) {
      if constexpr (!entry_changing_body<Body>) {
        if (i + ahead < count) ask_for(vertices(i + ahead));
      }
      const std::uint32_t u = vertices(i);
      if (u >= graph.entry_count || graph.entries[u].degree == 0) continue;
      const vertex_entry& entry = graph.entries[u];
      if (is_large(entry, large.chunk_slabs) && !alone(u, entry) && large.append(tile, u, layout::slabs(entry)))
        continue;
      body(tile, edge_chunk<Weight>(graph, u));
    }
  }

  /// Asks for the first neighbours, without a branch on where they are: vertices differ in that.
  MANGROVE_HOST_DEVICE void ask_for(std::uint32_t u) const {
    if (u >= graph.entry_count) return;
    const vertex_entry& entry = graph.entries[u];
    const auto all_if_extent = -static_cast<std::uint32_t>(entry.degree > layout::inline_capacity);
    mangrove::prefetch(layout::extent(graph.pool, entry.extent() & all_if_extent));
  }

  /// @return whether that was all
  template <class Lane>
  MANGROVE_HOST_DEVICE bool walk_alone(const Lane& lane, std::uint32_t u) const {
    if (u >= graph.entry_count) return true;
    const vertex_entry entry = graph.entries[u];
    if (entry.degree == 0) return true;
    if (!alone(u, entry)) return false;
    body(lane, edge_chunk<Weight>(graph, u, entry));
    return true;
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE bool alone(std::uint32_t u, const vertex_entry& entry) const {
    const adjacency_kind kind = layout::kind(entry);
    if (kind == adjacency_kind::inlined || (kind == adjacency_kind::array && entry.granules() == 1)) return true;
    if constexpr (requires { body.alone(u); }) {
      return body.alone(u);
    } else {
      return false;
    }
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void walk_together(const Tile& tile, std::uint32_t u) const {
    const vertex_entry entry = graph.entries[u];
    if (is_large(entry, most_slabs) && large.append(tile, u, layout::slabs(entry))) return;
    body(tile, edge_chunk<Weight>(graph, u, entry));
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE static bool is_large(const vertex_entry& entry, std::uint32_t most) {
    return has_slabs(layout::kind(entry)) && layout::slabs(entry) > most;
  }
};

/// Body: walks one listed chunk.
template <class Weight, class Body>
struct walk_chunk {
  adjacency_view<Weight> graph;
  std::uint32_t chunk_slabs;
  Body body;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, const chunk_list::item& item) const {
    body(tile, edge_chunk<Weight>(graph, item.vertex, item.first_slab, item.first_slab + chunk_slabs));
  }
};

/// Body: hands each vertex that was listed to `body(tile, u)`, once.
template <class Body>
struct visit_split {
  Body body;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, const chunk_list::item& item) const {
    if (item.first_slab == 0) body(tile, item.vertex);
  }
};

/// Body: takes the list's items at `i`, `i + stride` and so on; their number is known where the list lies.
template <class Body>
struct take_items {
  chunk_list list;
  std::size_t stride;
  Body body;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::uint32_t size = list.size();
    for (; i < size; i += stride) {
      if (list.items[i].vertex != chunk_list::nobody) body(tile, list.items[i]);
    }
  }
};

/// Walks with a list of large tables, which is allocated once; `run` allocates nothing.
///
/// When the list overflows, what it cannot hold is walked by single tiles: right, but not balanced.
template <backend B>
class balanced_walk {
 public:
  /// @param index_count vertices of the largest graph to be walked. @throws memory_error
  balanced_walk(const resources<B>& res, std::size_t index_count)
      : items_(res, capacity(index_count)), count_(res, 1) {}

  /// Does ahead what the next `run` would do first.
  void empty(const resources<B>& res) {
    if (!std::exchange(is_empty_, true)) fill_bytes(res, count_.data(), 0, 1);
  }

  /// Calls `body` for chunks that are together the neighbours of `vertices(i)` for i in [0, count), from tiles of 1,
  /// `Width` and `LargeWidth` lanes. Vertices without edges, and those at or above graph.entry_count, are left out.
  template <int Width, int LargeWidth, class Weight, class Vertices, class Body>
  void run(const resources<B>& res, const adjacency_view<Weight>& graph, std::size_t count, const Vertices& vertices,
           const Body& body) {
    chunk_slabs_ = LargeWidth;
    empty(res);
    is_empty_ = false;
    const std::size_t groups = (count + Width - 1) / Width;
    for_each_tile<Width>(res, groups, walk_group<Width, Weight, Vertices, Body>{graph, vertices, count, list(), body});
    for_each_item<LargeWidth>(res, walk_chunk<Weight, Body>{graph, chunk_slabs_, body});
  }

  /// Calls `body(tile, u)` for every vertex that the last `run` walked in chunks.
  template <int Width, class Body>
  void for_each_split(const resources<B>& res, const Body& body) {
    for_each_item<Width>(res, visit_split<Body>{body});
  }

 private:
  static std::size_t capacity(std::size_t index_count) { return index_count / 2 + (std::size_t{1} << 14); }

  [[nodiscard]] chunk_list list() {
    return {items_.data(), count_.data(), static_cast<std::uint32_t>(items_.size()), chunk_slabs_};
  }

  template <int Width, class Body>
  void for_each_item(const resources<B>& res, const Body& body) {
    if constexpr (std::is_same_v<B, cpu>) {
      const std::size_t size = list().size();
      for_each_task<Width>(res, size, take_items<Body>{list(), size, body});
    } else {
      constexpr std::size_t lanes = std::size_t{1} << 18;  // about as many as run at a time
      for_each_tile<Width>(res, lanes / Width, take_items<Body>{list(), lanes / Width, body});
    }
  }

  buffer<B, chunk_list::item> items_;
  buffer<B, std::uint32_t> count_;
  std::uint32_t chunk_slabs_ = 1;
  bool is_empty_ = false;
};

}  // namespace mangrove::detail
