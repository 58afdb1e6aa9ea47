#include "mangrove/core/for_each.hpp"

#include "storage_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cpu, storage, testing::Types<cpu>);
}  // namespace mangrove::test
