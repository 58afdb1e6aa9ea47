#include "refused_memory_suite.hpp"

namespace mangrove::test {

INSTANTIATE_TYPED_TEST_SUITE_P(cpu, refused_memory_test, graph_configs<mangrove::cpu>);

}  // namespace mangrove::test
