#include "bulk_suite.hpp"

namespace mangrove::test {

struct first_device {
  static cuda_resources make() { return make_resources<cuda>(); }
};

INSTANTIATE_TYPED_TEST_SUITE_P(cuda, bulk, testing::Types<first_device>);

}  // namespace mangrove::test
