#include "mangrove/core/for_each.cuh"
#include "mangrove/core/for_each_scratch.cuh"

#include "vertex_removal_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cuda, vertex_removal, removal_type_list<cuda>);
}  // namespace mangrove::test
