#include "graph_oracle.hpp"
#include "long_random_suite.hpp"

namespace mangrove::test {
namespace {

update_batch widen(const host_updates& updates) {
  update_batch batch;
  for (std::size_t i = 0; i < updates.size(); ++i) {
    batch.push_back(updates.kinds[i], updates.sources[i], updates.targets[i]);
  }
  return batch;
}

TEST(fast_oracle, agrees_with_the_one_that_applies_updates_one_by_one) {
  const cpu_resources host(2);
  for (const auto direction : {edge_direction::undirected, edge_direction::directed}) {
    for (const auto loops : {self_loops::drop, self_loops::keep}) {
      const graph_options options{.direction = direction, .loops = loops};
      fast_oracle fast(host, options, 1 << 5);
      graph_oracle slow(options);
      const update_stream stream(5, edge_shape::skewed, 5);
      for (std::uint64_t done = 0; done < 20000; done += 400) {
        host_updates batch = stream.batch(host, done, 400, vertex_updates::some);
        for (std::size_t i = done % 37; i < batch.size(); i += 37) batch.kinds[i] = update_kind::erase_vertex;
        ASSERT_EQ(fast.apply(batch), slow.apply(widen(batch)));
        ASSERT_EQ(fast.vertex_count(), slow.vertex_count());
        ASSERT_EQ(fast.edge_count(), slow.edge_count());
        for (const auto& [edge, weight] : slow.edges()) {
          ASSERT_TRUE(fast.contains(static_cast<std::uint32_t>(edge.first), static_cast<std::uint32_t>(edge.second)));
        }
      }
    }
  }
}

}  // namespace

INSTANTIATE_TYPED_TEST_SUITE_P(cpu, long_random, cpu);
}  // namespace mangrove::test
