// A program outside of the project: the README's example, with its result checked.
#include <cstdint>
#include <cstdio>
#include <mangrove/core/for_each.hpp>
#include <mangrove/core/version.hpp>
#include <mangrove/graph/dynamic_graph.hpp>
#include <vector>

using namespace mangrove;

int main() {
  const cpu_resources res;
  dynamic_graph<cpu, std::uint64_t> graph(res);

  update_batch batch;
  batch.push_back(update_kind::insert, 1, 2);
  batch.push_back(update_kind::insert, 2, 3);
  batch.push_back(update_kind::erase, 1, 2);
  const update_counts counts = graph.apply(res, batch);

  std::vector<std::uint32_t> degrees(graph.index_count());
  for_each_tile<8>(res, degrees.size(), [&, view = graph.view()](const auto& tile, std::size_t u) {
    std::uint32_t seen = 0;
    view.for_each_neighbor(tile, static_cast<vertex_index>(u), [&](vertex_index) { ++seen; });
    const std::uint32_t all = tile.sum(seen);
    if (tile.lane() == 0) degrees[u] = all;
  });
  std::printf("mangrove %s: %llu edge\n", version, static_cast<unsigned long long>(graph.edge_count()));
  const bool right = counts.inserted == 1 && counts.ignored == 2 && degrees == std::vector<std::uint32_t>{0, 0, 1, 1};
  return right ? 0 : 1;
}
