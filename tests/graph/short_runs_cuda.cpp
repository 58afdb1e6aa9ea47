#include "support/cuda_for_each.hpp"

#include "short_runs_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cuda, short_runs, graph_type_list<cuda>);
}  // namespace mangrove::test
