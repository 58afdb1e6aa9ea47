#pragma once

#include "counter_support.hpp"

/// @file
/// What memory refused at any point of an update leaves behind, typed by `graph_config`.

namespace mangrove::test {

inline std::shared_ptr<memory_resource> upstream_memory(const cpu_resources&) {
  return default_host_memory();
}
inline std::shared_ptr<memory_resource> upstream_memory(const cuda_resources& res) {
  return default_device_memory(res.device());
}

template <class Config>
class refused_memory_test : public testing::Test {
 protected:
  using B = typename Config::backend_type;
  using graph_type = dynamic_graph<B, typename Config::vertex, typename Config::weight>;
  using counter_type = triangle_counter<B, typename Config::vertex, typename Config::weight>;

  std::shared_ptr<limited_memory> memory = std::make_shared<limited_memory>(upstream_memory(resources<B>{}));
  resources<B> res{0, memory};

  /// Refuses the first, the second, ... request of an update, until it goes through.
  void refuse_every_request(recount_policy policy) {
    std::mt19937_64 random(23);
    reference_graph<Config> reference(150);
    reference.assign(hubs(150, 5, random));
    graph_type graph(res, Config::options());
    graph.apply(res, reference.all_edges());
    counter_type counter(res, graph, policy);
    for (int round = 0; round < 3; ++round) {
      const bit_graph before = reference.graph();
      const update_batch batch = random_batch(reference, 300, {0.5, 0.4, 0.03}, random);
      std::uint64_t granted = 0;
      while (!goes_through(counter, batch, granted)) {
        ASSERT_EQ(counter.value(), before.triangles()) << "after " << granted << " requests";
        ASSERT_EQ(graph.edge_count(), before.edges()) << "after " << granted << " requests";
        ASSERT_EQ(triangle_count(res, graph), before.triangles()) << "after " << granted << " requests";
        ++granted;
      }
      EXPECT_GT(granted, 10U);
      EXPECT_EQ(counter.value(), reference.graph().triangles());
      EXPECT_EQ(triangle_count(res, graph), reference.graph().triangles());
    }
  }

 private:
  bool goes_through(counter_type& counter, const update_batch& batch, std::uint64_t granted) {
    memory->refuse_after(granted);
    bool refused = false;
    try {
      counter.update(res, batch);
    } catch (const memory_error&) {
      refused = true;
    }
    memory->refuse_after(limited_memory::unlimited);
    return !refused;
  }
};

TYPED_TEST_SUITE_P(refused_memory_test);

TYPED_TEST_P(refused_memory_test, LeavesGraphAndCountAsTheyWere) {
  this->refuse_every_request(recount_policy::never);
}

TYPED_TEST_P(refused_memory_test, AlsoOfARecount) {
  this->refuse_every_request(recount_policy::always);
}

TYPED_TEST_P(refused_memory_test, NothingIsLeftAllocated) {
  std::mt19937_64 random(29);
  const auto rows = rows_of<typename TestFixture::B>(this->res, hubs(200, 5, random));
  const std::uint64_t before = this->memory->bytes_in_use();
  for (std::uint64_t granted = 0;; ++granted) {
    this->memory->refuse_after(granted);
    try {
      count_oriented_by_vertex(this->res, orient(this->res, view_of(rows)));
      break;
    } catch (const memory_error&) {
      EXPECT_EQ(this->memory->bytes_in_use(), before);
    }
  }
  EXPECT_EQ(this->memory->bytes_in_use(), before);
}

REGISTER_TYPED_TEST_SUITE_P(refused_memory_test, LeavesGraphAndCountAsTheyWere, AlsoOfARecount, NothingIsLeftAllocated);

}  // namespace mangrove::test
