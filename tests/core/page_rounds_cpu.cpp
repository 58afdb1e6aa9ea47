#include "mangrove/core/for_each.hpp"

#include "page_rounds_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cpu, page_rounds, testing::Types<cpu>);
}  // namespace mangrove::test
