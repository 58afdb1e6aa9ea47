#include "blink_tile_suite.hpp"
#include "mangrove/core/for_each.cuh"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cuda, blink_by_tile, blink_tile_types<cuda>);
}  // namespace mangrove::test
