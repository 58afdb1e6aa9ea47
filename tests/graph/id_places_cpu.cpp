#include "id_places.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "support/random.hpp"

namespace mangrove::test {

namespace {

using detail::id_places;

class id_places_test : public testing::Test {
 protected:
  static constexpr std::size_t buckets = 256;

  id_places_test() : memory_(id_places::count_for(buckets), ~std::uint64_t{0}), places_(memory_.data(), buckets) {}

  id_places::place put(std::uint64_t id) const { return places_.put(id, places_.look(id)); }

  std::uint64_t draw(std::uint64_t different) { return random_.below(different) * 0x9e3779b97f4a7c15ULL; }

  seeded_random random_;
  std::vector<std::uint64_t> memory_;
  id_places places_;
};

TEST_F(id_places_test, give_each_id_one_place_of_its_own) {
  std::map<std::uint64_t, std::uint32_t> known;
  std::set<std::uint32_t> taken;
  for (int k = 0; k < 20'000; ++k) {
    const std::uint64_t id = k % 100 == 99 ? ~std::uint64_t{0} : draw(700);
    const id_places::place at = put(id);
    ASSERT_LT(at.number, memory_.size());
    ASSERT_EQ(at.is_new, known.count(id) == 0) << id;
    if (at.is_new) {
      ASSERT_TRUE(taken.insert(at.number).second) << id;
    }
    ASSERT_EQ(known.emplace(id, at.number).first->second, at.number) << id;
  }
}

/// Somebody may have put an id there since a bucket was looked at.
TEST_F(id_places_test, find_what_came_after_the_look) {
  for (int k = 0; k < 500; ++k) {
    const std::uint64_t id = draw(1000);
    const id_places::view old = places_.look(id);
    const id_places::place first = put(id);
    put(draw(1000));
    const id_places::place second = places_.put(id, old);
    ASSERT_EQ(second.number, first.number);
    ASSERT_FALSE(second.is_new);
  }
}

TEST_F(id_places_test, say_when_there_is_no_room) {
  std::size_t placed = 0;
  for (std::uint64_t id = 1; id <= 3 * buckets * id_places::ways; ++id) {
    placed += put(id * 0x9e3779b97f4a7c15ULL).number != id_places::nowhere ? 1 : 0;
  }
  EXPECT_LE(placed, buckets * id_places::ways);
  EXPECT_GT(placed, buckets * id_places::ways / 2);
}

}  // namespace

}  // namespace mangrove::test
