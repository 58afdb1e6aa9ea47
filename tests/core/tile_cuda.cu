#include "mangrove/core/for_each.cuh"

#include "tile_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cuda, tiles, testing::Types<cuda>);
}  // namespace mangrove::test
