#include "support/cuda_for_each.hpp"

#include "placed_batch_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cuda, placed_batches, graph_type_list<cuda>);
}  // namespace mangrove::test
