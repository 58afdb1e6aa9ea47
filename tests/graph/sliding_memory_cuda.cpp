#include "sliding_memory_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cuda, sliding_memory, cuda);
}  // namespace mangrove::test
