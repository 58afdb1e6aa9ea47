#include "mangrove/core/for_each.hpp"

#include "placed_batch_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cpu, placed_batches, graph_type_list<cpu>);
}  // namespace mangrove::test
