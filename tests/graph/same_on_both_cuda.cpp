#include "mangrove/core/for_each.hpp"
#include "support/cuda_for_each.hpp"
// What follows calls what the two above declare.
#include "long_random_stream.hpp"
#include "view_reader.hpp"

/// @file
/// The same sequence of batches gives the same graph on both backends.

namespace mangrove::test {
namespace {

template <class Types>
class same_on_both : public testing::Test {
 protected:
  using vertex = typename Types::vertex;
  using weight = typename Types::weight;
  using cpu_types = graph_types<mangrove::cpu, vertex, weight>;
  using cuda_types = graph_types<mangrove::cuda, vertex, weight>;

  static std::vector<graph_options> all_options() {
    std::vector<graph_options> all;
    for (const auto direction : {edge_direction::undirected, edge_direction::directed}) {
      for (const auto ids : {id_space::dense, id_space::sparse}) {
        for (const adjacency_case& adjacency : adjacency_cases) {
          const auto loops = ids == id_space::dense ? self_loops::drop : self_loops::keep;
          all.push_back({direction, loops, ids, adjacency.policy, adjacency.tree_from});
        }
      }
    }
    return all;
  }

  cpu_resources host_;
  cuda_resources device_;
};

using all_types =
    testing::Types<graph_types<mangrove::cpu, std::uint32_t, none>, graph_types<mangrove::cpu, std::uint64_t, none>,
                   graph_types<mangrove::cpu, std::uint32_t, float>, graph_types<mangrove::cpu, std::uint64_t, double>>;
TYPED_TEST_SUITE(same_on_both, all_types);

TYPED_TEST(same_on_both, counts_and_edges_after_every_kind_of_update) {
  const std::uint64_t seed = environment_number("MANGROVE_TEST_SEED", std::random_device()());
  SCOPED_TRACE("MANGROVE_TEST_SEED=" + std::to_string(seed));
  for (const graph_options& options : this->all_options()) {
    std::mt19937_64 random(seed);
    typename TestFixture::cpu_types::graph on_cpu(this->host_, options);
    typename TestFixture::cuda_types::graph on_cuda(this->device_, options);
    batch_recipe recipe;
    for (std::uint64_t i = 0; i < 3000; ++i) {
      recipe.ids.push_back(
          options.ids == id_space::dense ? i : mix(i) & std::numeric_limits<typename TestFixture::vertex>::max());
    }
    for (int round = 0; round < 24; ++round) {
      recipe.vertex_insert_percent = round % 4 == 0 ? 2 : 3;  // the rest, if any, erases vertices
      const std::size_t size = round % 3 == 0 ? 1 + random() % 100 : 5000 + random() % 5000;
      const update_batch batch = random_batch(random, recipe, size, !is_none<typename TestFixture::weight>);
      ASSERT_EQ(on_cpu.apply(this->host_, batch), on_cuda.apply(this->device_, batch)) << "round " << round;
      ASSERT_EQ(on_cpu.vertex_count(), on_cuda.vertex_count());
      ASSERT_EQ(on_cpu.edge_count(), on_cuda.edge_count());
      ASSERT_EQ(on_cpu.directed_edge_count(), on_cuda.directed_edge_count());
      if (round % 8 != 7) continue;
      ASSERT_TRUE(all_edges<typename TestFixture::cpu_types>(this->host_, on_cpu) ==
                  all_edges<typename TestFixture::cuda_types>(this->device_, on_cuda))
          << "edges or weights differ after round " << round;
    }
  }
}

/// The edges of a graph with dense ids, in order.
template <backend B>
std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>> exported(
    const resources<B>& res, const dynamic_graph<B, std::uint32_t, none>& graph) {
  const auto list = graph.to_coo(res);
  return {to_host(res, list.sources.data(), list.sources.size()),
          to_host(res, list.targets.data(), list.targets.size())};
}

TEST(same_on_both, long_streams_of_large_batches) {
  const std::uint64_t seed = environment_number("MANGROVE_TEST_SEED", std::random_device()());
  SCOPED_TRACE("MANGROVE_TEST_SEED=" + std::to_string(seed));
  const cpu_resources host;
  const cuda_resources device;
  for (const auto shape : {edge_shape::uniform, edge_shape::skewed}) {
    for (const adjacency_case& adjacency : adjacency_cases) {
      const update_stream stream(seed, shape, 16);
      const graph_options options{.adjacency = adjacency.policy, .tree_from = adjacency.tree_from};
      dynamic_graph<mangrove::cpu, std::uint32_t, none> on_cpu(host, options);
      dynamic_graph<mangrove::cuda, std::uint32_t, none> on_cuda(device, options);
      constexpr std::uint64_t size = 1 << 18;
      for (std::uint64_t turn = 0; turn < 8; ++turn) {
        const host_updates batch =
            stream.batch(host, turn * size, size, turn % 2 == 0 ? vertex_updates::none : vertex_updates::some);
        ASSERT_EQ(on_cpu.apply(host, placed_updates<mangrove::cpu>(host, batch).view()),
                  on_cuda.apply(device, placed_updates<mangrove::cuda>(device, batch).view()));
      }
      ASSERT_TRUE(exported<mangrove::cpu>(host, on_cpu) == exported<mangrove::cuda>(device, on_cuda));
    }
  }
}

}  // namespace
}  // namespace mangrove::test
