#include "mangrove/core/for_each.cuh"

#include "short_runs_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cuda, short_runs, graph_type_list<cuda>);
}  // namespace mangrove::test
