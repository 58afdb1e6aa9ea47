#include "real_graph_suite.hpp"

namespace mangrove::test {

INSTANTIATE_TYPED_TEST_SUITE_P(cuda, real_graph_test, mangrove::cuda);

}  // namespace mangrove::test
