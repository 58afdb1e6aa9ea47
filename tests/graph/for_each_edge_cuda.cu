#include "mangrove/core/for_each.cuh"

#include "for_each_edge_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cuda, edge_walks, walk_type_list<cuda>);
}  // namespace mangrove::test
