#include "mangrove/core/for_each.cuh"

#include "storage_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cuda, storage, testing::Types<cuda>);
}  // namespace mangrove::test
