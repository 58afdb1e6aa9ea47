#pragma once

#include <cstdint>

#include "mangrove/core/resources.hpp"
#include "mangrove/graph/edge_list.hpp"
#include "mangrove/graph/update.hpp"

/// @file
/// Generators of graphs and of update streams. All are seeded: the same options give the same result, bit by bit, on
/// any number of threads and on both backends. The overloads for `cuda_resources` are in `mangrove::io_cuda`.
///
/// Graphs are undirected and have 2^scale vertices with the ids 1 to 2^scale. Results lie in host memory. All functions
/// throw `usage_error` when an option is out of its range, `memory_error` when memory is refused. Cost: time in
/// proportion to the result, in parallel.

namespace mangrove::io {

/// Whether R-MAT's ids are permuted. Without, low ids have high degrees.
enum class rmat_ids { scrambled, plain };

/// The recursive matrix model of Chakrabarti, Zhan and Faloutsos with the parameters of Graph500: few vertices of high
/// degree, many of low. Edges are independent: there are self loops and repeats, `without_repeats` drops them.
struct rmat_options {
  int scale = 16;                       ///< 1 to 31
  std::uint64_t edge_factor = 16;       ///< edges over vertices
  double a = 0.57, b = 0.19, c = 0.19;  ///< probabilities of three quadrants; the fourth is what is left to 1
  rmat_ids ids = rmat_ids::scrambled;
  std::uint64_t seed = 1;
};

/// Random points of the unit square, an edge wherever two are nearer than a radius. Ids follow the place: neighbours'
/// ids are near each other.
struct rgg_options {
  int scale = 16;      ///< 1 to 31
  double degree = 12;  ///< the mean degree that the radius is chosen for, the rim aside; used when `radius` is 0
  double radius = 0;   ///< at most 0.5, which a radius chosen by degree does not exceed either
  std::uint64_t seed = 1;
};

/// Like a road network: connected, nearly planar, degrees 1 to 4 with a few beyond, long paths, few triangles. A grid
/// of which a random spanning tree and some of the other edges and diagonals are kept.
struct road_options {
  int scale = 16;       ///< 1 to 31
  double degree = 2.4;  ///< mean degree, 2 to 4
  std::uint64_t seed = 1;
};

/// Like a Delaunay triangulation: planar, mean degree 6 but for the rim, every edge inside in two triangles or more. A
/// grid of jittered points, each of whose quadrilaterals is cut by the diagonal that Delaunay's criterion asks for.
struct mesh_options {
  int scale = 16;  ///< 1 to 31
  std::uint64_t seed = 1;
};

edge_list generate(const cpu_resources& res, const rmat_options& options);
edge_list generate(const cpu_resources& res, const rgg_options& options);
edge_list generate(const cpu_resources& res, const road_options& options);
edge_list generate(const cpu_resources& res, const mesh_options& options);

edge_list generate(const cuda_resources& res, const rmat_options& options);
edge_list generate(const cuda_resources& res, const rgg_options& options);
edge_list generate(const cuda_resources& res, const road_options& options);
edge_list generate(const cuda_resources& res, const mesh_options& options);

/// The same graph, undirected, without self loops and repeats and in ascending order: each edge once, smaller end
/// first.
/// @throws usage_error an id is 2^32 or more, or the edges are directed or weighted
edge_list without_repeats(const cpu_resources& res, const edge_list& edges);

/// A stream of random updates of a graph.
///
/// Erases take edges that are there: the graph's in random order, then the stream's own inserts about as they came;
/// when there are more erases than edges, the rest hit nothing. Repeats insert an edge of the graph or of the stream
/// again. Inserts join an end of a random edge with an end of another, or any two vertices when the graph has no edges.
struct stream_options {
  std::uint64_t updates = 1 << 16;
  double erases = 0.4;   ///< share of the updates that erase, rounded to 1/1024
  double repeats = 0.1;  ///< share that inserts what was there before; at most 1 together with `erases`
  std::uint64_t seed = 1;
};

/// Makes a stream of updates over the edges of `graph`, or over the vertices 1 to `graph.vertex_count` when it has
/// none.
/// @throws usage_error there are neither edges nor vertices
update_batch generate_stream(const cpu_resources& res, const edge_list& graph, const stream_options& options);

}  // namespace mangrove::io
