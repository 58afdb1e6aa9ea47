#include "triangle_count_suite.hpp"

namespace mangrove::test {

INSTANTIATE_TYPED_TEST_SUITE_P(cuda, triangle_count_test, graph_configs<mangrove::cuda>);

}  // namespace mangrove::test
