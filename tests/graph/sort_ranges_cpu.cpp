#include "sort_ranges.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "mangrove/core/tile.hpp"
#include "support/random.hpp"

/// @file
/// Keys that are made and sorted by ranges of sources, against those that are made one by one and sorted.

namespace mangrove::test {

namespace {

using detail::batch_status;
using detail::edge_updates;
using detail::key_updates;
using detail::source_ranges;

/// Whether it is plain which updates of a batch count.
enum class look { plain, uncertain };

class sorted_ranges : public testing::Test {
 protected:
  static constexpr std::uint32_t known = 1000;
  static constexpr std::size_t count = 1777;

  sorted_ranges() : sources_(count), targets_(count), present_((known + 32) / 32 + 1, ~std::uint32_t{0}) {
    for (std::size_t i = 0; i < count; ++i) {
      sources_[i] = static_cast<std::uint32_t>(random_.below(known));
      targets_[i] = static_cast<std::uint32_t>((sources_[i] + 1 + random_.below(known - 1)) % known);
    }
  }

  /// Sorts all sorts of batches of these updates both ways, and compares keys and what is noted.
  void check(look expected) {
    for (const auto direction : {edge_direction::directed, edge_direction::undirected}) {
      for (const auto loops : {self_loops::keep, self_loops::drop}) {
        for (const auto kind : {update_kind::insert, update_kind::erase}) {
          check({batch_of(kind), direction, loops, false}, expected);
          if (HasFailure()) return;
        }
      }
    }
  }

  void check(const edge_updates& updates, look expected) {
    for (const bool ordered : {false, true}) {
      for (const std::size_t ranges : {2, 3, 8}) check(updates, ordered, ranges, expected);
    }
  }

  [[nodiscard]] detail::indexed_updates batch_of(update_kind kind) const {
    return {sources_.data(), targets_.data(), kinds_.empty() ? nullptr : kinds_.data(), kind, sources_.size()};
  }

  seeded_random random_;
  std::vector<std::uint32_t> sources_, targets_, present_;
  std::vector<update_kind> kinds_;
  std::uint64_t vertices_ = known;  ///< fewer than indices
  std::uint32_t indices_ = known + 1;

 private:
  using keys = std::vector<std::uint64_t>;

  static constexpr std::uint64_t untouched = 0x5555;

  [[nodiscard]] key_updates body(const edge_updates& updates, bool ordered, batch_status& status, keys& to) const {
    const detail::update_admission admission{updates, present_.data(), known, indices_, vertices_, nullptr, &status};
    return {admission, detail::run_keys::for_batch(updates, indices_, ordered), to.data()};
  }

  keys sorted_at_once(const edge_updates& updates, bool ordered, batch_status& status) const {
    keys made(updates.size());
    const key_updates make = body(updates, ordered, status, made);
    for (std::size_t i = 0; i < updates.batch.size; ++i) make(cpu_tile<1>(), i);
    keys spare(made.size());
    const auto first_bit = static_cast<int>(make.format.first_bit);
    const auto bits = static_cast<int>(make.format.format.index_bits);
    sort(cpu_resources(1), made.data(), spare.data(), made.size(), first_bit, first_bit + bits);
    return made;
  }

  void check(const edge_updates& updates, bool ordered, std::size_t threads, look expected) const {
    batch_status status{};
    batch_status expected_status{};
    keys made(updates.size() + 1, untouched);
    keys spare = made;
    std::atomic<bool> uncertain = false;
    const cpu_resources alone(1);
    const source_ranges ranges(updates, threads);
    const detail::sort_ranges sort{{body(updates, ordered, status, made)}, alone, ranges, spare.data(), uncertain};
    for (std::size_t k = threads; k-- != 0;) sort(k);  // each beside keys of the next one
    EXPECT_EQ(uncertain, expected == look::uncertain);
    EXPECT_EQ(made.back(), untouched);
    EXPECT_EQ(spare.back(), untouched);
    if (uncertain) return;
    made.pop_back();
    EXPECT_EQ(made, sorted_at_once(updates, ordered, expected_status)) << threads << " ranges";
    EXPECT_EQ(status.creating, expected_status.creating);
    EXPECT_EQ(status.unsuited, expected_status.unsuited);
  }
};

TEST_F(sorted_ranges, of_even_sources) {
  check(look::plain);
}

/// More vertices than a radix sort has bits for, and than leave a key room for positions.
TEST_F(sorted_ranges, among_very_many_vertices) {
  indices_ = 1 << 30;
  check(look::plain);
}

TEST_F(sorted_ranges, of_one_source_alone_or_for_the_most_part) {
  std::fill(sources_.begin(), sources_.end() - 3, 700);
  check(look::plain);
  for (const std::uint32_t source : {0U, 700U, known - 1}) {
    std::ranges::fill(sources_, source);
    std::ranges::fill(targets_, 500);
    check(look::plain);
  }
}

TEST_F(sorted_ranges, of_few_updates) {
  for (const std::size_t size : {0, 1, 2, 7}) {
    sources_.resize(size);
    targets_.resize(size);
    if (size != 0) check(look::plain);
  }
}

TEST_F(sorted_ranges, with_self_loops) {
  for (const std::size_t i : {0UL, 700UL, 701UL, count - 1}) sources_[i] = targets_[i];
  check(look::plain);
  const edge_updates new_names{batch_of(update_kind::insert), edge_direction::directed, self_loops::drop, true};
  check(new_names, look::uncertain);
  sources_ = targets_;
  check(look::plain);
}

TEST_F(sorted_ranges, with_vertices_that_come_to_be) {
  present_[targets_[count - 1] / 32] &= ~(1U << targets_[count - 1] % 32);
  check(look::plain);
}

TEST_F(sorted_ranges, with_vertices_beyond_the_dictionary) {
  for (const std::uint32_t beyond : {known, known + 50, ~std::uint32_t{0}}) {
    const auto at = static_cast<std::size_t>(random_.below(count));
    auto& ids = random_.below(2) == 0 ? sources_ : targets_;
    const std::uint32_t before = std::exchange(ids[at], beyond);
    check(look::uncertain);
    ids[at] = before;
  }
}

TEST_F(sorted_ranges, of_all_kinds) {
  check({batch_of(update_kind::insert_vertex), edge_direction::directed, self_loops::keep, false}, look::uncertain);
  kinds_.assign(count, update_kind::insert);
  check(look::uncertain);
}

}  // namespace

}  // namespace mangrove::test
