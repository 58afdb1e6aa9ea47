#include "mangrove/core/slab_size.hpp"

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace mangrove::test {

void check_class_of(std::uint32_t granules) {
  const std::uint32_t size_class = size_class_of(granules);
  ASSERT_LT(size_class, size_classes) << granules;
  ASSERT_GE(size_class_granules(size_class), granules);
  if (size_class > 0) {
    ASSERT_LT(size_class_granules(size_class - 1), granules) << "a smaller class would do";
  }
  if (granules % granules_per_slab == 0) {
    ASSERT_EQ(size_class_granules(size_class) % granules_per_slab, 0U) << granules;
  }
}

TEST(slab_size, a_class_is_the_smallest_that_fits) {
  seeded_random random;
  for (std::uint32_t granules = 1; granules < 70000; ++granules) ASSERT_NO_FATAL_FAILURE(check_class_of(granules));
  for (int bits = 16; bits <= 30; ++bits) {
    for (int i = 0; i < 1000; ++i) {
      ASSERT_NO_FATAL_FAILURE(check_class_of(1 + static_cast<std::uint32_t>(random.below(std::uint64_t{1} << bits))));
    }
    ASSERT_NO_FATAL_FAILURE(check_class_of(std::uint32_t{1} << bits));
  }
  EXPECT_EQ(size_class_granules(size_classes - 1), std::uint32_t{1} << 30);
}

TEST(slab_size, classes_waste_at_most_an_eighth) {
  for (std::uint32_t c = 1; c < size_classes; ++c) {
    ASSERT_GT(size_class_granules(c), size_class_granules(c - 1));
    const double smallest = size_class_granules(c - 1) + 1.0;
    ASSERT_LE(size_class_granules(c) / smallest, c < 16 ? 1.0 : 1.125) << c;
    ASSERT_EQ(size_class_of(size_class_granules(c)), c);
  }
}

}  // namespace mangrove::test
