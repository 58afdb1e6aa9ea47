#include "blink_batch_suite.hpp"
#include "blink_types.hpp"
#include "ordered_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(blink_tree_cuda, ordered, blink_type_list<cuda>);
INSTANTIATE_TYPED_TEST_SUITE_P(blink_tree_cuda, blink_batches, blink_batch_types<cuda>);
}  // namespace mangrove::test
