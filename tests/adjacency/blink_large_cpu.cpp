#include "blink_large_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cpu, blink_large, blink_large_types<cpu>);
}  // namespace mangrove::test
