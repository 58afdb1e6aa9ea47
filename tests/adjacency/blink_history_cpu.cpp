#include "blink_history_suite.hpp"
#include "mangrove/core/for_each.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cpu, blink_histories, blink_history_types<cpu>);
}  // namespace mangrove::test
