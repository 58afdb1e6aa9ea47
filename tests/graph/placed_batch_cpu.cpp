#include "mangrove/core/for_each.hpp"

#include "placed_batch_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cpu, placed_batches, graph_type_list<cpu>);

TEST(placed_batch_cpu, columns_that_need_no_conversion_are_read_where_they_are) {
  const cpu_resources res;
  update_batch batch;
  batch.push_back(update_kind::insert, 1, 2);
  batch.weights = {0.5};
  const placed_batch<cpu, std::uint64_t, double> placed(res, batch);
  EXPECT_EQ(placed.view().kinds, batch.kinds.data());
  EXPECT_EQ(placed.view().sources, batch.sources.data());
  EXPECT_EQ(placed.view().targets, batch.targets.data());
  EXPECT_EQ(placed.view().weights, batch.weights.data());
}

}  // namespace mangrove::test
