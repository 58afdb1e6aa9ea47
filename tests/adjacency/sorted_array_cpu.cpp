#include "mangrove/core/for_each.hpp"
#include "ordered_suite.hpp"
#include "sorted_array_types.hpp"
// The suite below calls what the ones above declare.
#include "sorted_array_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(sorted_array_cpu, ordered, sorted_array_type_list<cpu>);
INSTANTIATE_TYPED_TEST_SUITE_P(cpu, sorted_array_merges, sorted_array_short_list<cpu>);
}  // namespace mangrove::test
