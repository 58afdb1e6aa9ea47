#include "mangrove/core/for_each.cuh"

#include "ordering_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cuda, ordering, testing::Types<cuda>);
}  // namespace mangrove::test
