#include "mangrove/core/for_each.hpp"

#include "batch_triangles.hpp"
#include "counter_support.hpp"

namespace mangrove::test {

using config = graph_config<cpu, std::uint32_t, none, adjacency_policy::by_degree, id_space::dense, self_loops::keep>;

// What the CUDA backend does with batches, run here under the sanitizers.
TEST(tiled_batch_test, CountsAsBruteForceDoes) {
  using detail::triangles::tiled_batch_count;
  const cpu_resources res;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    dynamic_graph<cpu> graph(res, config::options());
    reference_graph<config> reference(220);
    for (int round = 0; round < 12; ++round) {
      const bit_graph before = reference.graph();
      const update_batch batch = random_batch(reference, 20 + random() % 3000, {0.6, 0.3, 0.001}, random);
      const std::uint64_t kept = before.common(reference.graph()).triangles();
      auto change = graph.prepare(res, batch);
      if (change.size() == 0) continue;
      tiled_batch_count<cpu> lost(res, graph.view(), change, edge_action::erase);
      tiled_batch_count<cpu> gained(res, graph.view(), change, edge_action::insert);
      EXPECT_EQ(lost.run(res, graph.view()), before.triangles() - kept);
      graph.commit(res, change);
      EXPECT_EQ(gained.run(res, graph.view()), reference.graph().triangles() - kept);
    }
  }
}

// A hub's work is split among tasks: each of its neighbours must be looked up in exactly one of them.
TEST(tiled_batch_test, EdgesBetweenHubsAreSplit) {
  using detail::triangles::tiled_batch_count;
  constexpr std::uint64_t common = 5 * detail::triangles::probes_per_task + 77;
  const cpu_resources res;
  dynamic_graph<cpu> graph(res);
  update_batch batch;
  for (std::uint64_t w = 2; w < common + 2; ++w) {
    batch.push_back(update_kind::insert, 0, w);
    batch.push_back(update_kind::insert, w, 1);
  }
  graph.apply(res, batch);
  update_batch joined;
  joined.push_back(update_kind::insert, 1, 0);
  auto change = graph.prepare(res, joined);
  tiled_batch_count<cpu> gained(res, graph.view(), change, edge_action::insert);
  EXPECT_GE(gained.probes(), common);
  graph.commit(res, change);
  EXPECT_EQ(gained.run(res, graph.view()), common);
}

}  // namespace mangrove::test
