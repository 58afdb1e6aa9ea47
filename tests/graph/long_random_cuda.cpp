#include "long_random_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cuda, long_random, cuda);
}  // namespace mangrove::test
