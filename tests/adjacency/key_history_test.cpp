#include "key_history.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "support/random.hpp"

namespace mangrove::test {

namespace {

key_event event(key_operation operation, std::uint64_t value, bool succeeded, std::uint64_t begin, std::uint64_t end) {
  return {0, operation, value, begin, end, succeeded};
}

/// What a map answers when it does an event now.
void do_now(key_event& event, key_history::contents& now) {
  const bool is_there = now.has_value();
  switch (event.operation) {
    case key_operation::insert:
      event.succeeded = !is_there;
      if (!is_there) now = event.value;
      break;
    case key_operation::assign:
      event.succeeded = !is_there;
      now = event.value;
      break;
    case key_operation::erase:
      event.succeeded = is_there;
      now.reset();
      break;
    case key_operation::find:
      event.succeeded = is_there;
      event.value = is_there ? *now : 0;
      break;
  }
}

/// Looks at every order, with nothing that could be wrong about it.
bool any_order_explains(const std::vector<key_event>& events) {
  std::vector<std::size_t> order(events.size());
  std::iota(order.begin(), order.end(), 0);
  do {
    key_history::contents now;
    bool explains = true;
    for (std::size_t i = 0; i < order.size() && explains; ++i) {
      key_event answered = events[order[i]];
      do_now(answered, now);
      explains = answered.succeeded == events[order[i]].succeeded && answered.value == events[order[i]].value;
      for (std::size_t k = i + 1; k < order.size(); ++k) {
        explains = explains && events[order[k]].end >= events[order[i]].begin;
      }
    }
    if (explains) return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

/// A history that has an order: `count` events, about `open` of them under way at any time.
std::vector<key_event> ordered_history(seeded_random& random, std::size_t count, std::uint64_t open,
                                       std::uint64_t values) {
  std::vector<key_event> events;
  key_history::contents now;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t moment = 1000 + 10 * i;
    key_event made = event(static_cast<key_operation>(random.below(4)), 1 + random.below(values), false,
                           moment - random.below(10 * open), moment + random.below(10 * open));
    do_now(made, now);
    events.push_back(made);
  }
  return events;
}

}  // namespace

TEST(key_history, knows_histories_with_an_order_and_without) {
  const key_event inserted = event(key_operation::insert, 5, true, 1, 2);
  const key_event found = event(key_operation::find, 5, true, 3, 4);
  const key_event missed = event(key_operation::find, 0, false, 3, 6);
  const key_event erased = event(key_operation::erase, 0, true, 5, 6);
  EXPECT_TRUE(key_history({}).is_linearizable());
  EXPECT_TRUE(key_history({inserted, found, erased, missed}).is_linearizable());
  EXPECT_FALSE(key_history({inserted, missed}).is_linearizable());
  EXPECT_FALSE(key_history({found}).is_linearizable());
  EXPECT_TRUE(key_history({found}, 5).is_linearizable());
  EXPECT_FALSE(key_history({inserted}, 5).is_linearizable());
  EXPECT_FALSE(key_history({inserted, erased, event(key_operation::find, 5, true, 7, 8)}).is_linearizable());
  EXPECT_FALSE(key_history({inserted, event(key_operation::find, 4, true, 3, 4)}).is_linearizable());
}

TEST(key_history, knows_what_races_must_not_end_in) {
  const auto insert = [](std::uint64_t value, bool won) { return event(key_operation::insert, value, won, 1, 9); };
  const auto find = [](std::uint64_t value, std::uint64_t at) {
    return event(key_operation::find, value, true, at, at + 1);
  };
  EXPECT_TRUE(key_history({insert(1, true), insert(2, false), find(1, 10)}).is_linearizable());
  EXPECT_FALSE(key_history({insert(1, true), insert(2, true)}).is_linearizable()) << "two win";
  EXPECT_FALSE(key_history({insert(1, false), insert(2, false)}).is_linearizable()) << "none wins";
  EXPECT_FALSE(key_history({insert(1, true), insert(2, false), find(2, 10)}).is_linearizable()) << "the loser's value";
  const key_event lost = event(key_operation::assign, 3, false, 11, 12);
  EXPECT_FALSE(key_history({insert(1, true), lost, find(1, 13)}).is_linearizable()) << "a lost assignment";
  const key_event overlapped = event(key_operation::assign, 3, false, 1, 20);
  EXPECT_TRUE(key_history({insert(1, true), overlapped, find(1, 13), find(3, 15)}).is_linearizable());
  EXPECT_FALSE(key_history({insert(1, true), overlapped, find(3, 13), find(1, 15)}).is_linearizable())
      << "time runs back";
  const auto erase = event(key_operation::erase, 0, true, 10, 12);
  EXPECT_FALSE(key_history({insert(1, true), erase, erase}).is_linearizable()) << "erased twice";
}

TEST(key_history, agrees_with_a_look_at_every_order) {
  seeded_random random;
  std::size_t with_order = 0;
  constexpr std::size_t histories = 20000;
  for (std::size_t n = 0; n < histories; ++n) {
    auto events = ordered_history(random, 2 + random.below(5), 1 + random.below(4), 1 + random.below(3));
    for (std::size_t i = 0; i < events.size(); ++i) {  // other answers, which may have an order or not
      if (random.below(4) != 0) continue;
      events[i].succeeded = !events[i].succeeded;
      if (events[i].operation == key_operation::find) events[i].value = events[i].succeeded ? 1 + random.below(3) : 0;
    }
    for (key_event& made : events) {
      if (made.operation == key_operation::erase) made.value = 0;
    }
    key_history history(events);
    const bool expected = any_order_explains(events);
    ASSERT_EQ(history.is_linearizable(), expected) << history.unexplained();
    with_order += expected ? 1 : 0;
  }
  EXPECT_GT(with_order, histories / 10);
  EXPECT_LT(with_order, histories * 9 / 10);
}

TEST(key_history, copes_with_many_events_at_a_time) {
  seeded_random random;
  for (const std::uint64_t open : {1, 4, 16, 24}) {
    for (int round = 0; round < 10; ++round) {
      auto events = ordered_history(random, 250, open, 1000000);
      std::shuffle(events.begin(), events.end(), random);
      key_history history(events);
      ASSERT_TRUE(history.is_linearizable()) << open << " at a time: " << history.unexplained();
      events.push_back(event(key_operation::find, 2000000, true, 1000, 9000));
      ASSERT_FALSE(key_history(events).is_linearizable()) << "a value that nobody wrote";
    }
  }
}

TEST(key_history, says_what_it_cannot_hold) {
  EXPECT_THROW(key_history(std::vector<key_event>(key_history::most_events + 1)), std::length_error);
}

}  // namespace mangrove::test
