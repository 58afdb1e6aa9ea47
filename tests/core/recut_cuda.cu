#include "mangrove/core/for_each.cuh"
#include "mangrove/core/for_each_scratch.cuh"

#include "recut_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cuda, recut_pools, testing::Types<cuda>);
}  // namespace mangrove::test
