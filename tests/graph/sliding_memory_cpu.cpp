#include "sliding_memory_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cpu, sliding_memory, cpu);
}  // namespace mangrove::test
