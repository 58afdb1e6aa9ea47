#include "mangrove/core/for_each_phase.hpp"

#include "phase_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cpu, phases, testing::Types<cpu>);
}  // namespace mangrove::test
