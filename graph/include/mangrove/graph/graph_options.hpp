#pragma once

#include <cstdint>

namespace mangrove {

/// Whether (u, v) and (v, u) are the same edge.
enum class edge_direction : std::uint8_t { undirected, directed };

/// What becomes of edges (u, u).
enum class self_loops : std::uint8_t { drop, keep };

/// How vertex ids become positions in the dictionary.
enum class id_space : std::uint8_t {
  dense,  ///< the id is the position: ids are small numbers, memory is 16 bytes times the largest
  sparse  ///< any ids, through a hash table; positions of erased vertices are reused
};

/// How neighbours are kept.
enum class adjacency_policy : std::uint8_t {
  by_degree,  ///< in the dictionary entry, then in a sorted array of up to a slab, then in a slab hash table, and from
              ///< `graph_options::tree_from` neighbours on in a B-tree
  hash,       ///< in a slab hash table as soon as they do not fit into the dictionary entry
  tree        ///< in a B-tree as soon as they do not fit into the dictionary entry
};

/// No vertex has so many neighbours.
inline constexpr std::uint32_t no_degree = ~std::uint32_t{0};

/// What a graph is, fixed when it is made.
struct graph_options {
  edge_direction direction = edge_direction::undirected;
  self_loops loops = self_loops::drop;
  id_space ids = id_space::dense;
  adjacency_policy adjacency = adjacency_policy::by_degree;
  /// With `by_degree`: neighbours from which a vertex keeps them in a B-tree, until it has less than half as many.
  /// Batches that touch such vertices are sorted whole.
  std::uint32_t tree_from = no_degree;
};

}  // namespace mangrove
