#include "mangrove/core/for_each.cuh"
#include "mangrove/core/for_each_scratch.cuh"

#include "scratch_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cuda, scratch, testing::Types<cuda>);
}  // namespace mangrove::test
