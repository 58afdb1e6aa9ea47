#include "blink_history_suite.hpp"
#include "mangrove/core/for_each.cuh"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cuda, blink_histories, blink_history_types<cuda>);
}  // namespace mangrove::test
