#include "mangrove/core/for_each.hpp"

#include "ordering_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cpu, ordering, testing::Types<cpu>);
}  // namespace mangrove::test
