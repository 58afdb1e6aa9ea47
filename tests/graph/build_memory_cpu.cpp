#include "build_memory_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cpu, build_memory, cpu);
}  // namespace mangrove::test
