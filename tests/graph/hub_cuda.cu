#include "mangrove/core/for_each.cuh"

#include "hub_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cuda, hub_batches, graph_type_list<cuda>);
}  // namespace mangrove::test
