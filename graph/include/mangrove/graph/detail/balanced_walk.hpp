#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "mangrove/core/buffer.hpp"
#include "mangrove/core/unrolled.hpp"
#include "mangrove/graph/detail/chunk_list.hpp"
#include "mangrove/graph/detail/edge_chunk.hpp"
#include "mangrove/graph/detail/stretch_walk.hpp"
#include "mangrove/graph/detail/walk_leftover.hpp"

/// @file
/// Walking adjacencies so that every tile has about as much to do: what fits into a granule is one lane's, what fits
/// into a few slabs is one tile's, and larger tables are listed in chunks, which tiles of a second launch share.
///
/// A body for it is `template <class Tile> void operator()(const Tile&, const edge_chunk<Weight>&) const`; it is called
/// with tiles of several widths. Where it has a member `bool alone(u)`, vertices for which that is true are one lane's.
/// It may change the entry of the vertex that it is at.
///
/// Where it names a type `leftover`, it is `walk(tile, chunk, left)` that is called, for many vertices with one `left`,
/// and then `finish(tile, number, left)`. On CUDA a lane calls `leave(u, entry, k, left)` for the k-th of its
/// `leftover::vertices` that is its alone, and it is a warp that calls `finish`; a thread of the CPU calls
/// `walk_inlined(u, left)` for vertices with their neighbours in the entry.

namespace mangrove::detail {

/// Vertices that a lane walks.
template <class Body>
constexpr int vertices_of_lane() {
  if constexpr (is_none<walk_leftover<Body>>) {
    return 1;
  } else {
    return walk_leftover<Body>::vertices;
  }
}

/// Body: walks some vertices for each of `Width` lanes; lists those that are too large.
template <int Width, class Weight, class Vertices, class Body>
struct walk_group {
  static constexpr std::uint32_t most_slabs = 8;  ///< of a table that one tile walks
  static constexpr int each = vertices_of_lane<Body>();
  static constexpr int size = Width * each;
  static constexpr std::size_t tiles_of_warp = 32 / Width;
  using layout = entry_layout<Weight>;
  using leftover = walk_leftover<Body>;
  static_assert(size <= 32, "a word has no bit for each vertex");

  adjacency_view<Weight> graph;
  Vertices vertices;
  std::size_t count;
  chunk_list large;
  Body body;

  /// Calls that walk all vertices: those of whole warps, which finish together.
  [[nodiscard]] std::size_t calls() const {
    constexpr std::size_t of_warp = tiles_of_warp * size;
    return (count + of_warp - 1) / of_warp * tiles_of_warp;
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t group) const {
    const std::size_t first = group * size;
    walked own[each];  // all under way at once
    unrolled<each>([&](int k) { own[k] = look_at(first + k * Width + tile.lane()); });
    leftover left{};
    std::uint32_t together = 0;
    unrolled<each>([&](int k) { together |= tile.ballot(!walk_alone(tile.solo(), own[k], k, left)) << (k * Width); });
    for (; together != 0; together &= together - 1) {
      walk_together(tile, vertices(first + lowest_bit(together)), left);
    }
    if constexpr (!is_none<leftover>) body.finish(tile.warp(), group / tiles_of_warp, left);
  }

 private:
  struct walked {
    std::uint32_t vertex;
    vertex_entry entry;  ///< empty where there is nothing to walk
  };

  [[nodiscard]] MANGROVE_HOST_DEVICE walked look_at(std::size_t i) const {
    const std::uint32_t u = i < count ? vertices(i) : graph.entry_count;
    if (u >= graph.entry_count) return {u, {}};
    return {u, graph.entries[u]};
  }

  /// @return whether that was all
  template <class Lane>
  MANGROVE_HOST_DEVICE bool walk_alone(const Lane& lane, const walked& at, int number, leftover& left) const {
    if (at.entry.degree == 0) return true;
    if (!alone(at)) return false;
    if constexpr (is_none<leftover>) {
      body(lane, edge_chunk<Weight>(graph, at.vertex, at.entry));
    } else {
      body.leave(at.vertex, at.entry, number, left);
    }
    return true;
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE bool alone(const walked& at) const {
    const adjacency_kind kind = layout::kind(at.entry);
    if (kind == adjacency_kind::inlined || (kind == adjacency_kind::array && at.entry.granules() == 1)) return true;
    if constexpr (requires { body.alone(at.vertex); }) {
      return body.alone(at.vertex);
    } else {
      return false;
    }
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void walk_together(const Tile& tile, std::uint32_t u, leftover& left) const {
    const vertex_entry entry = graph.entries[u];
    if (is_large(entry, most_slabs) && large.append(tile, u, layout::slabs(entry))) return;
    if constexpr (is_none<leftover>) {
      body(tile, edge_chunk<Weight>(graph, u, entry));
    } else {
      body.walk(tile, edge_chunk<Weight>(graph, u, entry), left);
    }
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
    chunk_slabs_ = LargeWidth * (std::is_same_v<B, cpu> ? slabs_per_lane_of_cpu : 1);
    empty(res);
    is_empty_ = false;
    if constexpr (std::is_same_v<B, cpu>) {
      using walk = walk_stretch<Weight, Vertices, Body>;
      const std::size_t stretches = (count + walk::size - 1) / walk::size;
      for_each_task<Width>(res, stretches, walk{graph, vertices, count, list(), body});
    } else {
      const walk_group<Width, Weight, Vertices, Body> walk{graph, vertices, count, list(), body};
      for_each_tile<Width>(res, walk.calls(), walk);
    }
    for_each_item<LargeWidth>(res, walk_chunk<Weight, Body>{graph, chunk_slabs_, body});
  }

  /// Calls `body(tile, u)` for every vertex that the last `run` walked in chunks.
  template <int Width, class Body>
  void for_each_split(const resources<B>& res, const Body& body) {
    for_each_item<Width>(res, visit_split<Body>{body});
  }

 private:
  static constexpr std::uint32_t slabs_per_lane_of_cpu = 8;  ///< some 3 µs of work, so that threads hardly meet

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
