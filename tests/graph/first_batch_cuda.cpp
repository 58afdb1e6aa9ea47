#include "support/cuda_for_each.hpp"

#include "first_batch_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cuda, first_batches, graph_type_list<cuda>);
}  // namespace mangrove::test
