#include "mangrove/core/for_each.hpp"
#include "mangrove/core/for_each_scratch.hpp"

#include "bulk_build_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cpu, bulk_builds, bulk_type_list<cpu>);
}  // namespace mangrove::test
