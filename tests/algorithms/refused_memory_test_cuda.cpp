#include "refused_memory_suite.hpp"

namespace mangrove::test {

INSTANTIATE_TYPED_TEST_SUITE_P(cuda, refused_memory_test, graph_configs<mangrove::cuda>);

}  // namespace mangrove::test
