#include <gtest/gtest.h>

#include "mangrove/io/generate.hpp"

namespace mangrove::io {
namespace {

template <class Options>
class generators_on_cuda : public testing::Test {};
using all_options = testing::Types<rmat_options, rgg_options, road_options, mesh_options>;
TYPED_TEST_SUITE(generators_on_cuda, all_options);

TYPED_TEST(generators_on_cuda, give_the_same_as_on_the_cpu) {
  for (const int scale : {1, 6, 11, 16}) {
    TypeParam options;
    options.scale = scale;
    options.seed = static_cast<std::uint64_t>(scale);
    const auto here = generate(cpu_resources(), options);
    const auto there = generate(cuda_resources(), options);
    EXPECT_EQ(here.sources, there.sources) << "scale " << scale;
    EXPECT_EQ(here.targets, there.targets) << "scale " << scale;
    EXPECT_EQ(here.vertex_count, there.vertex_count);
  }
}

}  // namespace
}  // namespace mangrove::io
