#include "blink_batch_suite.hpp"
#include "blink_types.hpp"
#include "ordered_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(blink_tree_cpu, ordered, blink_type_list<cpu>);
INSTANTIATE_TYPED_TEST_SUITE_P(blink_tree_cpu, blink_batches, blink_batch_types<cpu>);
}  // namespace mangrove::test
