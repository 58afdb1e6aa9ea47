#include "mangrove/core/for_each.hpp"

#include "for_each_edge_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cpu, edge_walks, walk_type_list<cpu>);
}  // namespace mangrove::test
