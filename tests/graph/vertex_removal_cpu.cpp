#include "mangrove/core/for_each.hpp"

#include "vertex_removal_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cpu, vertex_removal, removal_type_list<cpu>);
}  // namespace mangrove::test
