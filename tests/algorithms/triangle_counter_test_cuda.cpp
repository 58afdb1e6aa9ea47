#include "triangle_counter_suite.hpp"

namespace mangrove::test {

INSTANTIATE_TYPED_TEST_SUITE_P(cuda, triangle_counter_test, graph_configs<mangrove::cuda>);

}  // namespace mangrove::test
