#include "mangrove/core/for_each.hpp"
#include "mangrove/core/for_each_scratch.hpp"

#include "counted_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cpu, counted_work, testing::Types<cpu>);
}  // namespace mangrove::test
