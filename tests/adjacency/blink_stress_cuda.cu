#include "blink_stress_suite.hpp"
#include "mangrove/core/for_each.cuh"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cuda, blink_stress, blink_stress_types<cuda>);
}  // namespace mangrove::test
