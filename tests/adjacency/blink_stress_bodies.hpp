#pragma once

#include "blink_stress_plan.hpp"
#include "mangrove/core/atomic.hpp"

namespace mangrove::test {

/// What updates report of a key: `a_try` for each, and `a_win` besides for one that inserted or erased it.
inline constexpr std::uint32_t a_try = 1U << 16;
inline constexpr std::uint32_t a_win = 1;

/// An update, a find or a range on a random key, checked at once.
template <class Types>
struct stress_tree {
  using key_type = typename Types::key;
  using value_type = typename Types::value;
  typename Types::container::ref_type tree;
  round_plan plan;
  std::uint32_t* book;  ///< [dim = plan.keys] tries and wins
  std::uint32_t* counts;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::uint64_t random = plan.random(i);
    const std::uint32_t n = plan.any_key(random);
    const auto percent = static_cast<std::uint32_t>(random >> 32) % 100;
    if (percent < 10) {
      look_along(tile, n, static_cast<std::uint32_t>(random >> 48));
    } else if (percent < 30 || plan.fate_of(n) == key_fate::is_read) {
      look_up(tile, n);
    } else {
      update(tile, n);
    }
  }

 private:
  template <class Tile>
  MANGROVE_HOST_DEVICE void update(const Tile& tile, std::uint32_t n) const {
    const auto key = numbered_key<key_type>(n);
    const auto value = ordered_value<value_type>(key, plan.salt);
    bool won = false;
    bool is_full = false;
    switch (plan.fate_of(n)) {
      case key_fate::is_inserted: {
        const insert_result result = tree.insert(tile, key, value);
        won = result == insert_result::inserted;
        is_full = result == insert_result::full;
        break;
      }
      case key_fate::is_assigned: {
        const assign_result result = tree.insert_or_assign(tile, key, value);
        won = result == assign_result::inserted;
        is_full = result == assign_result::full;
        break;
      }
      default:
        won = tree.erase(tile, key);
    }
    if (tile.lane() != 0) return;
    fetch_add(book + n, a_try + (won ? a_win : 0));
    if (is_full) fetch_add(counts + refused, 1U);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void look_up(const Tile& tile, std::uint32_t n) const {
    const auto key = numbered_key<key_type>(n);
    const auto found = tree.find(tile, key);
    const bool is_right = found ? plan.may_hold(n, key, *found) : plan.may_be_absent(n);
    if (!is_right && tile.lane() == 0) fetch_add(counts + wrong_finds, 1U);
  }

  /// Up to 64 numbers from one on, or their first 16 keys: what is met may be there, and what stays is met.
  template <class Tile>
  MANGROVE_HOST_DEVICE void look_along(const Tile& tile, std::uint32_t first, std::uint32_t random) const {
    const std::uint32_t span = random % 64;
    const std::uint32_t last = span < plan.keys - 1 - first ? first + span : plan.keys - 1;
    const std::uint64_t limit = random % 3 == 0 ? 16 : 1000;
    std::uint32_t wrong = 0;
    std::uint32_t staying = 0;
    std::uint64_t own_place = 0;
    std::uint32_t own_number = 0;
    const auto meet = [&](std::uint64_t place, key_type key, value_type value) {
      const std::uint32_t n = number_of_key(key);
      const bool is_there = n >= first && n <= last && key == numbered_key<key_type>(n);
      wrong += is_there && plan.may_hold(n, key, value) ? 0 : 1;
      staying += is_there && plan.stays(n) ? 1 : 0;
      own_place = place;
      own_number = n;
    };
    const auto low = numbered_key<key_type>(first);
    const std::uint64_t count = tree.range(tile, low, numbered_key<key_type>(last), limit, meet);
    const bool has_last = count == limit && own_place == count - 1;
    const std::uint32_t end = count == limit ? tile.sum(has_last ? own_number : 0U) : last;
    tile.strided(end + 1 - first,
                 [&](std::size_t k) { staying -= plan.stays(first + static_cast<std::uint32_t>(k)) ? 1 : 0; });
    const bool is_right = tile.sum(wrong) == 0 && tile.sum(staying) == 0;
    if (!is_right && tile.lane() == 0) fetch_add(counts + wrong_ranges, 1U);
  }
};

/// The keys and values of a batch that does to all of its keys what the plan says.
template <class Types>
struct make_stress_batch {
  round_plan plan;
  typename Types::key* keys;
  typename Types::value* values;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    keys[i] = numbered_key<typename Types::key>(plan.any_key(plan.random(i)));
    values[i] = ordered_value<typename Types::value>(keys[i], plan.salt);
  }
};

/// Books what a batch answered.
template <class Key>
struct book_batch {
  const Key* keys;
  const std::uint8_t* outcomes;
  std::uint32_t* book;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    fetch_add(book + number_of_key(keys[i]), a_try + (outcomes[i] != 0 ? a_win : 0));
  }
};

/// Ends a round for the i-th key: of those that could insert or erase it, one must have.
struct close_books {
  round_plan plan;
  held_word* held;  ///< what `plan.before` points to
  std::uint32_t* book;
  std::uint32_t* counts;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const auto n = static_cast<std::uint32_t>(i);
    const bool was_reached = book[n] >= a_try;
    const held_word after = was_reached ? plan.after(n) : held[n];
    const std::uint32_t expected = (held[n] != 0) != (after != 0) ? 1 : 0;
    if (book[n] % a_try != expected) fetch_add(counts + wrong_wins, 1U);
    if (expected != 0) count_up_one(counts + wins);
    if (after != 0) count_up_one(counts + present);
    book[n] = 0;
    held[n] = after;
  }
};

/// Checks the i-th of all keys in order. @pre as many as the oracle has
template <class Types>
struct check_contents {
  const held_word* held;
  std::uint32_t numbers;
  const typename Types::key* keys;
  const typename Types::value* values;
  std::uint32_t* counts;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const std::uint32_t n = number_of_key(keys[i]);
    const bool is_right = n < numbers && keys[i] == numbered_key<typename Types::key>(n) &&
                          round_plan::holds(held[n], keys[i], values[i]) && (i == 0 || keys[i - 1] < keys[i]);
    if (!is_right) fetch_add(counts + wrong_contents, 1U);
  }
};

/// Checks what a batch of finds answered at rest.
template <class Types>
struct check_finds {
  const held_word* held;
  const typename Types::key* keys;
  const typename Types::value* values;
  const std::uint8_t* found;
  std::uint32_t* counts;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const held_word word = held[number_of_key(keys[i])];
    const bool is_right = found[i] != 0 ? round_plan::holds(word, keys[i], values[i]) : word == 0;
    if (!is_right) fetch_add(counts + wrong_finds, 1U);
  }
};

}  // namespace mangrove::test
