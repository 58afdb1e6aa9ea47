#include "mangrove/core/detail/list_survey.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace mangrove::test {

namespace {

using detail::list_room;
using detail::list_survey;
using detail::pages_left;

constexpr std::uint32_t some_class = 3;
constexpr std::uint32_t places = 16;  // of each directory, and of the ring of spare pages

/// Lists without extents: one has a directory, and pages, none else has.
struct books {
  std::array<slab_index*, 2 * places> directories{};
  freed_extents lists{directories.data()};

  books(std::uint32_t pages, std::uint32_t extents, std::uint32_t spare) {
    lists.set(some_class, 0, places, {nullptr, 0, 0, extents, 0, pages});
    lists.set_spare(places, places, spare);
  }
};

list_room room_for(std::uint64_t certain, std::uint64_t possible = 0) {
  list_room room;
  room.certain[some_class] = certain;
  room.possible[some_class] = possible;
  room.classes = some_class + 1;
  return room;
}

}  // namespace

TEST(list_survey, lists_suffice_for_what_their_pages_and_a_few_spare_ones_hold) {
  const books has{2, 100, 10};
  const list_survey survey(has.lists);
  EXPECT_TRUE(survey.suffices(room_for(2 * page_extents), pages_left::few));
  EXPECT_TRUE(survey.suffices(room_for(10 * page_extents), pages_left::few));
  EXPECT_FALSE(survey.suffices(room_for(11 * page_extents), pages_left::few));  // a grant would have to deal nine
  EXPECT_TRUE(survey.suffices(room_for(12 * page_extents), pages_left::many));
  EXPECT_FALSE(survey.suffices(room_for(13 * page_extents), pages_left::many));  // there are but ten spare ones
}

TEST(list_survey, a_directory_has_to_have_places_for_all_that_is_possible) {
  const books has{2, 100, 10};
  const list_survey survey(has.lists);
  EXPECT_TRUE(survey.suffices(room_for(0, places * page_extents), pages_left::few));
  EXPECT_FALSE(survey.suffices(room_for(0, places * page_extents + 1), pages_left::few));
  EXPECT_FALSE(survey.shortage_of(room_for(0, places * page_extents), survey.counts()).any_directory);
  EXPECT_TRUE(survey.shortage_of(room_for(0, places * page_extents + 1), survey.counts()).any_directory);
}

TEST(list_survey, lacks_what_neither_spare_pages_nor_those_that_are_not_needed_give) {
  const books has{2, 100, 3};
  const list_survey survey(has.lists);
  const list_room room = room_for(7 * page_extents);
  const detail::class_counts all = survey.kept_for(room);
  EXPECT_EQ(all[some_class], 2 * page_extents);  // what it has pages for
  EXPECT_EQ(survey.shortage_of(room, all).pages, 2U);
  EXPECT_EQ(survey.shortage_of(room, survey.counts()).pages, 1U);  // the second page serves again
}

TEST(list_survey, is_tight_where_few_spare_pages_would_be_left) {
  detail::class_counts more{};
  more[some_class] = 2 * page_extents;
  EXPECT_TRUE(list_survey(books{1, page_extents, 9}.lists).is_tight_for(more));
  EXPECT_FALSE(list_survey(books{1, page_extents, 10}.lists).is_tight_for(more));
  EXPECT_FALSE(list_survey(books{3, page_extents, 8}.lists).is_tight_for(more));
}

TEST(list_survey, makes_room_ahead_for_as_many_times_as_half_of_the_spare_pages_serve) {
  list_room room = room_for(2 * page_extents);
  room.ahead = 8;
  const auto ahead_with = [&](std::uint32_t spare) {
    const books has{1, page_extents, spare};
    const list_survey survey(has.lists);
    return survey.with_room_ahead(survey.kept_for(room), room)[some_class];
  };
  EXPECT_EQ(ahead_with(16), 9 * page_extents);
  EXPECT_EQ(ahead_with(15), 5 * page_extents);
  EXPECT_EQ(ahead_with(2), 2 * page_extents);
  EXPECT_EQ(ahead_with(0), page_extents);  // no more than it has pages for
}

}  // namespace mangrove::test
