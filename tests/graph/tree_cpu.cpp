#include "mangrove/core/for_each.hpp"

#include "tree_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cpu, trees, graph_type_list<cpu>);
}  // namespace mangrove::test
