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

/// Cuts free granules into pieces that cover them all. @return how many pieces
int check_pieces(std::uint64_t first, std::uint64_t granules, std::uint32_t alignment) {
  int pieces = 0;
  for (; granules != 0; ++pieces) {
    const std::uint32_t size_class = first_piece_class(first, granules, alignment);
    EXPECT_LT(size_class, size_classes);
    EXPECT_LE(size_class_granules(size_class), granules);
    EXPECT_LE(size_class_alignment(size_class), alignment);
    EXPECT_EQ(first % size_class_alignment(size_class), 0U);
    if (testing::Test::HasFailure()) return pieces;
    first += size_class_granules(size_class);
    granules -= size_class_granules(size_class);
  }
  return pieces;
}

TEST(slab_size, free_granules_become_few_extents_that_are_aligned) {
  seeded_random random;
  for (std::uint64_t granules = 1; granules < 5000; ++granules) {
    for (std::uint64_t first = 0; first < 4; ++first) {
      ASSERT_LE(check_pieces(first, granules, 4), 8) << first << " " << granules;
    }
    for (const std::uint32_t alignment : {1, 2}) {
      const std::uint64_t largest = alignment == 1 ? 15 : 30;  // of extents that start there
      for (std::uint64_t first = 0; first + granules <= largest; ++first) check_pieces(first, granules, alignment);
      ASSERT_FALSE(HasFailure()) << granules;
    }
  }
  for (int i = 0; i < 10000; ++i) {
    const std::uint64_t granules = 1 + random.below(std::uint64_t{1} << (1 + random.below(32)));
    const std::uint64_t first = random.below((std::uint64_t{1} << 32) - granules + 1);
    const int pieces = check_pieces(first, granules, 4);
    ASSERT_LE(pieces, 20) << first << " " << granules;
    ASSERT_FALSE(HasFailure()) << first << " " << granules;
  }
}

}  // namespace mangrove::test
