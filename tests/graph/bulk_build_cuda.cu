#include "mangrove/core/for_each.cuh"
#include "mangrove/core/for_each_scratch.cuh"

#include "bulk_build_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cuda, bulk_builds, bulk_type_list<cuda>);
}  // namespace mangrove::test
