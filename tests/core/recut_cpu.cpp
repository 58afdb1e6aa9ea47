#include "mangrove/core/for_each.hpp"

#include "recut_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cpu, recut_pools, testing::Types<cpu>);
}  // namespace mangrove::test
