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
  static constexpr std::size_t homes = 256;

  id_places_test() : memory_(id_places::count_for(homes), ~std::uint64_t{0}), places_(memory_.data(), homes) {}

  std::uint32_t put(std::uint64_t hash) const { return places_.put(hash, places_.look(hash)); }

  /// Evenly spread hashes.
  std::uint64_t draw(std::uint64_t different) { return mix(random_.below(different)); }

  seeded_random random_;
  std::vector<std::uint64_t> memory_;
  id_places places_;
};

TEST_F(id_places_test, give_each_id_one_place_of_its_own) {
  std::map<std::uint64_t, std::uint32_t> known;
  std::set<std::uint32_t> taken;
  for (int k = 0; k < 20'000; ++k) {
    const std::uint64_t hash = k % 100 == 99 ? ~std::uint64_t{0} : draw(700);
    const std::uint32_t at = put(hash);
    ASSERT_LT(at, memory_.size());
    if (known.count(hash) == 0) {
      ASSERT_TRUE(taken.insert(at).second) << hash;
    }
    ASSERT_EQ(known.emplace(hash, at).first->second, at) << hash;
  }
}

/// Somebody may have put an id there since a bucket was looked at.
TEST_F(id_places_test, find_what_came_after_the_look) {
  for (int k = 0; k < 500; ++k) {
    const std::uint64_t hash = draw(700);
    const id_places::view old = places_.look(hash);
    const std::uint32_t first = put(hash);
    put(draw(700));
    ASSERT_EQ(places_.put(hash, old), first);
  }
}

TEST_F(id_places_test, say_when_there_is_no_room) {
  std::size_t placed = 0;
  for (std::uint64_t id = 1; id <= 3 * homes * id_places::ways; ++id) {
    placed += put(mix(id)) != id_places::nowhere ? 1 : 0;
  }
  EXPECT_LE(placed, memory_.size());
  EXPECT_GT(placed, homes * id_places::ways / 2);
}

/// So many ids belong into one bucket that they fill as many as there may be in a row, and one more.
TEST_F(id_places_test, tell_a_crowd_in_whatever_order_it_came) {
  const std::uint64_t first = std::uint64_t{1} << 63;
  std::vector<std::uint64_t> hashes;
  for (std::uint64_t k = 0; k < std::uint64_t{id_places::most_full} * id_places::ways; ++k) hashes.push_back(first + k);
  const std::uint32_t home = places_.home(first);
  for (const std::uint64_t hash : hashes) {
    EXPECT_FALSE(places_.ends_crowd(home + id_places::most_full - 1));
    ASSERT_NE(put(hash), id_places::nowhere);
  }
  EXPECT_TRUE(places_.ends_crowd(home + id_places::most_full - 1));
  EXPECT_FALSE(places_.ends_crowd(home + id_places::most_full));
  EXPECT_FALSE(places_.ends_crowd(home + id_places::most_full - 2));
  EXPECT_EQ(put(first + hashes.size()), id_places::nowhere);
}

}  // namespace

}  // namespace mangrove::test
