#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/atomic.hpp"
#include "mangrove/core/bits.hpp"
#include "mangrove/core/bulk.hpp"
#include "mangrove/core/segmented_sort.hpp"
#include "mangrove/graph/csr.hpp"
#include "mangrove/graph/detail/balanced_walk.hpp"
#include "tree_export.hpp"

/// @file
/// All edges of a graph in sorted order. Where each row starts follows from the degrees; most rows are kept sorted, and
/// those of hash tables are sorted each for itself.

namespace mangrove::detail {

/// All edges, ascending by (source, target), with where each vertex's start.
/// @tparam Bits type of the weights wanted, `none` for no weights
template <backend B, class Bits>
struct edge_rows {
  buffer<B, std::uint64_t> offsets;  ///< index_count + 1
  buffer<B, std::uint32_t> sources;  ///< empty unless asked for
  buffer<B, std::uint32_t> targets;
  buffer<B, Bits> weights;  ///< empty without weights
};

/// Body: reads the degree of a vertex and whether its neighbours are in a table or a tree.
template <class Bits>
struct read_degree {
  const vertex_entry* entries;
  std::uint64_t* degrees;
  std::uint8_t* in_slabs;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t u) const {
    degrees[u] = entries[u].degree;
    in_slabs[u] = has_slabs(entry_layout<Bits>::kind(entries[u])) ? 1 : 0;
  }
};

/// Body: looks up where the rows of vertices with tables start and end; those of others are empty.
template <class Bits>
struct find_segments {
  const vertex_entry* entries;
  const std::uint32_t* vertices;
  const std::uint64_t* offsets;
  std::uint64_t* begins;
  std::uint64_t* ends;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const bool in_table = entry_layout<Bits>::kind(entries[vertices[i]]) == adjacency_kind::hash;
    begins[i] = offsets[vertices[i]];
    ends[i] = in_table ? offsets[vertices[i] + 1] : begins[i];
  }
};

/// Vertices by their position in a list.
struct listed_vertices {
  const std::uint32_t* vertices;

  MANGROVE_HOST_DEVICE std::uint32_t operator()(std::size_t i) const { return vertices[i]; }
};

/// Vertices by index, without those whose neighbours are in a table or a tree.
struct vertices_with_arrays {
  const std::uint8_t* in_slabs;

  MANGROVE_HOST_DEVICE std::uint32_t operator()(std::size_t i) const {
    return in_slabs[i] != 0 ? ~std::uint32_t{0} : static_cast<std::uint32_t>(i);
  }
};

/// Where bodies write rows to. @tparam Kept type of the weights wanted
template <class Kept>
struct row_arrays {
  const std::uint64_t* offsets;
  std::uint32_t* sources;  ///< null when they are not wanted
  std::uint32_t* targets;
  Kept* weights;

  template <class Bits>
  MANGROVE_HOST_DEVICE void put(std::uint64_t at, std::uint32_t u, std::uint32_t v, const Bits* weight) const {
    if (sources != nullptr) sources[at] = u;
    targets[at] = v;
    if constexpr (!is_none<Kept>) weights[at] = *weight;
  }
};

/// Body for `balanced_walk`: copies a sorted array to its row.
template <class Bits, class Kept>
struct copy_array {
  adjacency_view<Bits> graph;
  row_arrays<Kept> rows;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, const edge_chunk<Bits>& chunk) const {
    const std::uint32_t u = chunk.source();
    vertex_entry& entry = graph.entries[u];
    const auto from = neighbor_array<Bits>::of(graph.pool, &entry);
    const std::uint64_t first = rows.offsets[u];
    tile.strided(entry.degree, [&](std::size_t i) { rows.put(first + i, u, from.keys[i], from.weights + i); });
  }
};

/// Body for `balanced_walk`: copies the keys of a table to its row, in any order.
template <class Bits, class Kept>
struct copy_table {
  using table = typename edge_chunk<Bits>::table;

  row_arrays<Kept> rows;
  std::uint32_t* cursors;  ///< by vertex: of tables in chunks, the keys for which there is a place already

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, const edge_chunk<Bits>& chunk) const {
    if (chunk.kind() == adjacency_kind::tree) return;
    const std::uint32_t u = chunk.source();
    const table in = chunk.slab_table();
    std::uint64_t next = rows.offsets[u] + (chunk.whole() ? 0 : reserve(tile, chunk, in));
    for (std::uint32_t bucket = chunk.first_slab(); bucket < chunk.last_slab(); ++bucket) {
      const std::uint32_t used = used_slots(tile, in, bucket);
      const std::uint32_t* const keys = in.keys(bucket);
      tile.strided(table::slots, [&](std::size_t slot) {
        if ((used >> slot & 1) == 0) return;
        rows.put(next + count_bits(used & ((1U << slot) - 1)), u, keys[slot], in.values(bucket) + slot);
      });
      next += count_bits(used);
    }
  }

 private:
  template <class Tile>
  MANGROVE_HOST_DEVICE static std::uint32_t used_slots(const Tile& tile, const table& in, std::uint32_t bucket) {
    return in.template match_keys<access::plain>(tile, bucket,
                                                 [](std::uint32_t v) { return table::mark::storable(v); });
  }

  /// @return where in the row the chunk's keys go
  template <class Tile>
  MANGROVE_HOST_DEVICE std::uint32_t reserve(const Tile& tile, const edge_chunk<Bits>& chunk, const table& in) const {
    std::uint32_t keys = 0;
    for (std::uint32_t bucket = chunk.first_slab(); bucket < chunk.last_slab(); ++bucket) {
      keys += count_bits(used_slots(tile, in, bucket));
    }
    return tile.elect([&] { return fetch_add(cursors + chunk.source(), keys); });
  }
};

/// Makes the rows of a graph.
/// @tparam Kept the view's type of weights, or `none` to leave them out
template <backend B, class Bits, class Kept>
class row_export {
 public:
  row_export(const resources<B>& res, const adjacency_view<Bits>& graph) : res_(res), graph_(graph) {}

  edge_rows<B, Kept> run(std::uint64_t edge_count, std::uint32_t index_count, bool with_sources) {
    place_rows(index_count);
    made_.targets = buffer<B, std::uint32_t>(res_, edge_count);
    if (with_sources) made_.sources = buffer<B, std::uint32_t>(res_, edge_count);
    if constexpr (!is_none<Kept>) made_.weights = buffer<B, Kept>(res_, edge_count);
    balanced_walk<B> walk(res_, index_count);
    fill_slabs(walk, index_count);  // first: sorting tables may lose what is written to the other rows
    walk.template run<width, width>(res_, graph_, graph_.entry_count, vertices_with_arrays{in_slabs_.data()},
                                    copy_array<Bits, Kept>{graph_, rows()});
    return std::move(made_);
  }

 private:
  static constexpr int width = 8;  ///< lanes that read an array or a slab

  [[nodiscard]] row_arrays<Kept> rows() {
    return {made_.offsets.data(), made_.sources.data(), made_.targets.data(), made_.weights.data()};
  }

  void place_rows(std::uint32_t index_count) {
    buffer<B, std::uint64_t> degrees(res_, index_count);
    fill_bytes(res_, degrees.data(), 0, index_count);
    in_slabs_ = buffer<B, std::uint8_t>(res_, graph_.entry_count);
    for_each_tile<1>(res_, graph_.entry_count, read_degree<Bits>{graph_.entries, degrees.data(), in_slabs_.data()});
    made_.offsets = buffer<B, std::uint64_t>(res_, index_count + std::size_t{1});
    exclusive_scan(res_, degrees.data(), made_.offsets.data(), index_count);
  }

  void fill_slabs(balanced_walk<B>& walk, std::uint32_t index_count) {
    buffer<B, std::uint32_t> listed(res_, graph_.entry_count);
    const std::size_t count = select(res_, in_slabs_.data(), listed.data(), graph_.entry_count);
    if (count == 0) return;
    fill_tables(walk, listed.data(), count, index_count);
    export_trees<B>(res_, graph_, listed.data(), count, rows());
  }

  /// @param listed vertices with tables or trees
  void fill_tables(balanced_walk<B>& walk, const std::uint32_t* listed, std::size_t count, std::uint32_t index_count) {
    buffer<B, std::uint32_t> cursors(res_, index_count);
    fill_bytes(res_, cursors.data(), 0, index_count);
    walk.template run<width, width>(res_, graph_, count, listed_vertices{listed},
                                    copy_table<Bits, Kept>{rows(), cursors.data()});
    buffer<B, std::uint64_t> begins(res_, count);
    buffer<B, std::uint64_t> ends(res_, count);
    for_each_tile<1>(res_, count,
                     find_segments<Bits>{graph_.entries, listed, made_.offsets.data(), begins.data(), ends.data()});
    const segments within{begins.data(), ends.data(), count};
    if constexpr (is_none<Kept>) {
      sort_segments(res_, made_.targets, within);
    } else {
      sort_segments(res_, made_.targets, made_.weights, within);
    }
  }

  const resources<B>& res_;
  adjacency_view<Bits> graph_;
  buffer<B, std::uint8_t> in_slabs_;
  edge_rows<B, Kept> made_;
};

/// All edges of a graph in rows.
/// @param edge_count its directed edges
/// @tparam Kept `Bits` with weights, `none` without
/// Cost: a pass over the adjacencies and a sort of those that are tables.
template <backend B, class Kept, class Bits>
edge_rows<B, Kept> export_rows(const resources<B>& res, const adjacency_view<Bits>& graph, std::uint64_t edge_count,
                               std::uint32_t index_count, bool with_sources) {
  return row_export<B, Bits, Kept>(res, graph).run(edge_count, index_count, with_sources);
}

}  // namespace mangrove::detail
