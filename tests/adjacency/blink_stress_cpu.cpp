#include "blink_stress_suite.hpp"
#include "mangrove/core/for_each.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cpu, blink_stress, blink_stress_types<cpu>);
}  // namespace mangrove::test
