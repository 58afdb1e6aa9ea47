#include "support/cuda_for_each.hpp"

#include "tree_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cuda, trees, graph_type_list<cuda>);
}  // namespace mangrove::test
