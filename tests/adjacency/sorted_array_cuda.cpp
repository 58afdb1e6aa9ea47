#include "ordered_suite.hpp"
#include "sorted_array_types.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(sorted_array_cuda, ordered, sorted_array_type_list<cuda>);
}  // namespace mangrove::test
