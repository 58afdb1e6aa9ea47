#include "mangrove/core/for_each.cuh"
#include "sorted_array_types.hpp"
// The suite below calls what the ones above declare.
#include "sorted_array_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cuda, sorted_array_merges, sorted_array_short_list<cuda>);
}  // namespace mangrove::test
