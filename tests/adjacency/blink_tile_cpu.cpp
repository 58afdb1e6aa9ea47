#include "blink_tile_suite.hpp"
#include "mangrove/core/for_each.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cpu, blink_by_tile, blink_tile_types<cpu>);
}  // namespace mangrove::test
