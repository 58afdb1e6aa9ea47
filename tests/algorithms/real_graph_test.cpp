#include "real_graph_suite.hpp"

namespace mangrove::test {

INSTANTIATE_TYPED_TEST_SUITE_P(cpu, real_graph_test, mangrove::cpu);

}  // namespace mangrove::test
