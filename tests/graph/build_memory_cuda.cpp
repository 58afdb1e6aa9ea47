#include "build_memory_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cuda, build_memory, cuda);
}  // namespace mangrove::test
