#include "triangle_counter_suite.hpp"

namespace mangrove::test {

INSTANTIATE_TYPED_TEST_SUITE_P(cpu, triangle_counter_test, graph_configs<mangrove::cpu>);

}  // namespace mangrove::test
