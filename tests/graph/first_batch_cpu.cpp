#include "mangrove/core/for_each.hpp"

#include "first_batch_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cpu, first_batches, graph_type_list<cpu>);
}  // namespace mangrove::test
