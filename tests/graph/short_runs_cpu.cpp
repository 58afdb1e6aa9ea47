#include "mangrove/core/for_each.hpp"

#include "short_runs_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cpu, short_runs, graph_type_list<cpu>);
}  // namespace mangrove::test
