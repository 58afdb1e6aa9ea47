#include "blink_large_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cuda, blink_large, blink_large_types<cuda>);
}  // namespace mangrove::test
