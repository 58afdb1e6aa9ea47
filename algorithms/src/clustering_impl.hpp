#pragma once

#include <numeric>

#include "clustering.hpp"
#include "mangrove/core/bulk.hpp"
#include "orient.hpp"

/// @file
/// The definition of `clustering_of`. Included after the backend's `for_each_tile`.

namespace mangrove::detail::triangles {

/// Body: the local coefficients of a block of vertices, their sum, and the number of paths of two edges through them.
struct cluster_block {
  static constexpr std::size_t vertices_per_block = 4096;

  const std::uint32_t* degrees;
  const std::uint64_t* triangles;
  std::size_t vertices;
  double* local;
  double* sums;
  std::uint64_t* paths;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t block) const {
    const std::size_t first = block * vertices_per_block;
    const std::size_t last = first + vertices_per_block < vertices ? first + vertices_per_block : vertices;
    double sum = 0;
    std::uint64_t pairs = 0;
    tile.strided(last - first, [&](std::size_t i) {
      const std::uint64_t degree = degrees[first + i];
      const std::uint64_t own_pairs = degree < 2 ? 0 : degree * (degree - 1) / 2;
      local[first + i] =
          own_pairs == 0 ? 0 : static_cast<double>(triangles[first + i]) / static_cast<double>(own_pairs);
      sum += local[first + i];
      pairs += own_pairs;
    });
    sum = tile.sum(sum);
    pairs = tile.sum(pairs);
    if (tile.lane() == 0) {
      sums[block] = sum;
      paths[block] = pairs;
    }
  }
};

/// Fills in what follows from the triangles at each vertex and its degree.
template <backend B>
void fill_coefficients(const resources<B>& res, const buffer<B, std::uint32_t>& degrees, std::uint64_t existing,
                       clustering<B>& result) {
  const std::size_t vertices = degrees.size();
  const std::size_t blocks = (vertices + cluster_block::vertices_per_block - 1) / cluster_block::vertices_per_block;
  buffer<B, double> sums(res, blocks);
  buffer<B, std::uint64_t> paths(res, blocks);
  for_each_tile<32>(
      res, blocks,
      cluster_block{degrees.data(), result.triangles.data(), vertices, result.local.data(), sums.data(), paths.data()});
  const auto host_sums = to_host(res, sums.data(), blocks);
  const std::uint64_t all_paths = sum(res, paths.data(), blocks);
  result.triangle_count = sum(res, result.triangles.data(), vertices) / 3;
  if (existing != 0) {
    result.average = std::accumulate(host_sums.begin(), host_sums.end(), 0.0) / static_cast<double>(existing);
  }
  if (all_paths != 0) {
    result.transitivity = 3 * static_cast<double>(result.triangle_count) / static_cast<double>(all_paths);
  }
}

template <backend B>
clustering<B> clustering_of(const resources<B>& res, const csr_view<B>& rows, std::uint64_t existing) {
  simple_graph<B> graph = simple_graph_of(res, rows);
  const buffer<B, std::uint32_t> degrees = make_buffer<B>(res, graph.degrees.data(), graph.vertices);
  clustering<B> result;
  result.local = buffer<B, double>(res, graph.vertices);
  result.triangles = count_oriented_by_vertex(res, orient_simple(res, std::move(graph), vertex_order::automatic));
  fill_coefficients(res, degrees, existing, result);
  return result;
}

}  // namespace mangrove::detail::triangles
