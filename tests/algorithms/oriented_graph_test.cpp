#include "oriented_graph_suite.hpp"

#include "intersect_rows.hpp"
#include "mangrove/core/for_each.hpp"

namespace mangrove::test {

INSTANTIATE_TYPED_TEST_SUITE_P(cpu, oriented_graph_test, mangrove::cpu);

// What the CUDA backend does with skewed graphs, run here under the sanitizers.
TEST(search_rows_test, CountsAsBruteForceDoes) {
  using namespace detail::triangles;
  const cpu_resources res;
  std::mt19937_64 random(17);
  for (int round = 0; round < 20; ++round) {
    const bit_graph graph = round % 2 == 0 ? hubs(256, 8, random) : random_graph(200, 0.4, random);
    const auto oriented = orient(res, view_of(rows_of<cpu>(res, graph)), vertex_order::by_degree);
    std::vector<std::uint64_t> counts(graph.size());
    tally<cpu> total(res);
    count_by_searching(res, oriented, count_corners{oriented.indices.data(), counts.data()}, total.ref());
    EXPECT_EQ(total.total(res), graph.triangles());
    for (std::size_t u = 0; u < graph.size(); ++u) EXPECT_EQ(counts[u], graph.triangles_at(u)) << "vertex " << u;
  }
}

}  // namespace mangrove::test
