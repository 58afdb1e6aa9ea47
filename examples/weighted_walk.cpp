// Walks at random over a weighted graph: from every vertex to a neighbour with a probability in proportion to the
// weight of the edge between them. Computes where the walker is likely to be after many steps.
//
// The same function objects run on a GPU: weighted_walk.cu differs in nothing but the backend's name.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <numeric>
#include <vector>

#include "mangrove/core/buffer.hpp"
#include "mangrove/core/for_each.hpp"
#include "mangrove/core/transfer.hpp"
#include "mangrove/graph/dynamic_graph.hpp"

using namespace mangrove;

using graph_type = dynamic_graph<cpu, std::uint32_t, double>;
using view_type = graph_type::view_type;

/// The sum of the weights of each vertex's edges.
struct strength_of {
  view_type graph;
  double* strengths;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    double sum = 0;
    graph.for_each_neighbor(tile, static_cast<vertex_index>(i), [&](vertex_index, double weight) { sum += weight; });
    sum = tile.sum(sum);
    if (tile.lane() == 0) strengths[i] = sum;
  }
};

/// One step: each vertex gathers what its neighbours send.
struct step {
  view_type graph;
  const double* strengths;
  const double* from;
  double* to;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    double arriving = 0;
    graph.for_each_neighbor(tile, static_cast<vertex_index>(i),
                            [&](vertex_index v, double weight) { arriving += from[v] * weight / strengths[v]; });
    arriving = tile.sum(arriving);
    if (tile.lane() == 0) to[i] = arriving;
  }
};

/// A ring with chords, so that the walk gets everywhere, in odd and even numbers of steps.
edge_list ring_with_chords() {
  constexpr std::uint32_t vertices = 200;
  edge_list edges;
  for (std::uint32_t u = 0; u < vertices; ++u) {
    for (const std::uint32_t reach : {1U, 2U, 9U, 40U}) {
      edges.sources.push_back(u);
      edges.targets.push_back((u + reach) % vertices);
      edges.weights.push_back(1 + u % 7 * 0.5);
    }
  }
  return edges;
}

int run() {
  const cpu_resources res;
  graph_type graph(res);
  graph.insert(res, ring_with_chords());

  const std::size_t count = graph.index_count();
  buffer<cpu, double> strengths(res, count);
  for_each_tile<4>(res, count, strength_of{graph.view(), strengths.data()});
  std::vector<double> start(count);
  start[0] = 1;
  auto here = make_buffer<cpu>(res, start.data(), count);
  buffer<cpu, double> next(res, count);
  for (int i = 0; i < 1000; ++i) {
    for_each_tile<4>(res, count, step{graph.view(), strengths.data(), here.data(), next.data()});
    here.swap(next);
  }

  // After long enough the walker is at each vertex in proportion to its strength, wherever it started.
  const auto strength = to_host(res, strengths.data(), count);
  const auto likely = to_host(res, here.data(), count);
  const double total = std::accumulate(strength.begin(), strength.end(), 0.0);
  double worst = 0;
  for (std::size_t i = 0; i < count; ++i) worst = std::fmax(worst, std::fabs(likely[i] - strength[i] / total));
  std::printf("%zu vertices, %llu edges, furthest from the limit: %.1e\n", count,
              static_cast<unsigned long long>(graph.edge_count()), worst);
  return worst < 1e-9 ? 0 : 1;
}

int main() {
  try {
    return run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "weighted_walk: %s\n", error.what());
    return 1;
  }
}
