#include "mangrove/core/for_each.hpp"

#include "batch_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cpu, batches, graph_type_list<cpu>);
}  // namespace mangrove::test
