#include "mangrove/core/for_each_phase.cuh"

#include "phase_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cuda, phases, testing::Types<cuda>);
}  // namespace mangrove::test
