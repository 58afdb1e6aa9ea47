#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <vector>

#include "checked_pool.hpp"
#include "mangrove/core/work_aside.hpp"
#include "support/sanitizers.hpp"

/// @file
/// Freed extents of a slab pool serve other size classes: they are cut and joined before more memory is mapped.

namespace mangrove::test {

/// Body: writes an extent of a list down.
struct put_extents {
  freed_extents lists;
  std::uint32_t size_class;
  const slab_index* extents;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t k) const {
    lists[size_class][static_cast<std::uint32_t>(k)] = extents[k];
  }
};

template <class B>
class recut_pools : public testing::Test {
 protected:
  recut_pools() : memory_(make_limited_memory<B>()), res_(make_resources<B>(memory_)), checked_(res_, capacity) {}

  /// So many extents of the smallest class for `granules`.
  static pool_demand demand_of(std::uint32_t extents, std::uint32_t granules) {
    pool_demand demand;
    demand.taken[size_class_of(granules)] = extents;
    return demand;
  }

  /// Takes and gives what the demand says, the last one that the pool's checker made, or one that gives nothing.
  void run(const pool_demand& all) {
    const std::size_t in_use = checked_.pool().bytes_in_use();
    const auto grant = checked_.pool().prepare(res_, all);
    ASSERT_EQ(checked_.pool().bytes_in_use(), in_use) << "preparing lost granules";
    ASSERT_NO_FATAL_FAILURE(checked_.check_books());
    ASSERT_NO_FATAL_FAILURE(checked_.use(grant));
    ASSERT_NO_FATAL_FAILURE(checked_.check_books());
    checked_.with_gifts({}, random_, ~std::uint64_t{0});  // what has been given is not given again
  }

  /// Gives lists so many extents, side by side. @return granules of all
  std::uint64_t fill(detail::free_lists<B>& lists, const detail::class_counts& counts) {
    lists.turn(res_, {}, counts, counts, list_pages::all);
    std::uint64_t end = 0;
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      std::vector<slab_index> firsts;
      for (; firsts.size() < counts[c]; end += size_class_granules(c)) firsts.push_back(static_cast<slab_index>(end));
      const auto from = upload(res_, firsts);
      for_each_tile<1>(res_, firsts.size(), put_extents{lists.snapshot(), c, from.data()});
      res_.synchronize();
    }
    return end;
  }

  /// Granules of the extents in lists, by the first one.
  std::map<slab_index, std::uint32_t> extents_of(const detail::free_lists<B>& lists) {
    const listed_extents listed(res_, lists.snapshot());
    EXPECT_GT(listed.pages(), 0U);
    std::map<slab_index, std::uint32_t> all;
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      for (const slab_index first : listed[c]) all.emplace(first, size_class_granules(c));
    }
    return all;
  }

  void give_all() { run(checked_.with_gifts({}, random_, 1)); }
  [[nodiscard]] std::size_t mapped() { return checked_.pool().bytes_committed(); }

  static constexpr std::size_t capacity = std::size_t{1} << 30;

  seeded_random random_;
  std::shared_ptr<limited_memory> memory_;
  resources<B> res_;
  checked_pool<B> checked_;
};

TYPED_TEST_SUITE_P(recut_pools);

TYPED_TEST_P(recut_pools, large_extents_serve_small_requests) {
  constexpr std::uint32_t extents = 3000;
  ASSERT_NO_FATAL_FAILURE(this->run(this->demand_of(extents, 64)));
  ASSERT_NO_FATAL_FAILURE(this->give_all());
  const std::size_t mapped = this->mapped();
  for (const std::uint32_t granules : {60, 32, 4, 3, 2, 1}) {
    const std::uint32_t pieces = extents * (64 / granules);
    ASSERT_NO_FATAL_FAILURE(this->run(this->demand_of(pieces, granules))) << granules;
    ASSERT_EQ(this->mapped(), mapped) << granules;
    ASSERT_NO_FATAL_FAILURE(this->give_all());
  }
}

/// More cuts than one launch makes: of each of many classes for each of many smaller ones.
TYPED_TEST_P(recut_pools, many_sizes_serve_many_others) {
  constexpr std::uint32_t classes = 112;
  detail::class_counts free{};
  detail::class_counts wanted{};
  for (std::uint32_t c = 0; c < classes; ++c) (c % 2 == 0 && c > classes / 2 ? free : wanted)[c] = 20;
  ASSERT_GT(detail::plan_cuts(free, wanted).cuts.size(), detail::cut_extents::most_cuts);
  detail::free_lists<TypeParam> lists;
  lists.make_room(this->res_, detail::recut<TypeParam>(free).room({}), detail::pages_left::many);
  const std::uint64_t end = this->fill(lists, free);
  detail::recut<TypeParam> change(free, wanted);
  lists.make_room(this->res_, change.room({}), detail::pages_left::many);
  change.make(this->res_, lists);
  ASSERT_EQ(lists.counts(), change.after());
  const std::map<slab_index, std::uint32_t> extents = this->extents_of(lists);
  std::uint64_t covered = 0;
  for (const auto& [first, granules] : extents) {
    ASSERT_EQ(first, covered) << "a gap or an overlap";
    covered += granules;
  }
  ASSERT_EQ(covered, end);
}

TYPED_TEST_P(recut_pools, neighbours_serve_large_requests) {
  constexpr std::uint32_t granules = 120'000;
  for (const std::uint32_t small : {1, 3, 4, 20}) {
    ASSERT_NO_FATAL_FAILURE(this->run(this->demand_of(granules / small, small)));
    ASSERT_NO_FATAL_FAILURE(this->give_all());
  }
  const std::size_t mapped = this->mapped();
  for (const std::uint32_t large : {64, 4096, 65536}) {
    ASSERT_NO_FATAL_FAILURE(this->run(this->demand_of(granules / 2 / large + 1, large)));
    ASSERT_EQ(this->mapped(), mapped) << large;
    ASSERT_NO_FATAL_FAILURE(this->give_all());
  }
}

TYPED_TEST_P(recut_pools, extents_that_outgrow_their_sizes_together_use_their_memory_again) {
  ASSERT_NO_FATAL_FAILURE(this->run(this->demand_of(4000, 1)));
  std::size_t most_in_use = 0;
  while (this->checked_.granules_in_use() < 300'000) {
    pool_demand demand = this->checked_.with_gifts({}, this->random_, 2);
    for (std::uint32_t c = 0; c + 1 < size_classes; ++c) demand.taken[c + 1] += demand.given[c];
    const std::size_t before = this->checked_.pool().bytes_in_use();
    most_in_use = std::max(most_in_use, before + detail::granules_of(demand.taken) * granule_bytes);
    ASSERT_NO_FATAL_FAILURE(this->run(demand));
  }
  // Without recuts more than twice as much would be mapped as is needed.
  std::printf("%.2f of the memory needed\n", static_cast<double>(this->mapped()) / static_cast<double>(most_in_use));
  EXPECT_LE(this->mapped(), most_in_use + most_in_use / 2 + (std::size_t{2} << 20));
}

TYPED_TEST_P(recut_pools, changing_sizes_keep_the_books_right) {
  constexpr std::uint64_t batch = 8'000;  // granules
  constexpr int rounds = repetitions(100);
  for (int round = 0; round < rounds; ++round) {
    const auto favoured = static_cast<std::uint32_t>(this->random_.below(64));  // sizes come and go in waves
    pool_demand demand;
    for (const std::uint32_t c : {favoured, favoured / 2, favoured / 4}) {
      demand.taken[c] += static_cast<std::uint32_t>(batch / 3 / size_class_granules(c));
    }
    ASSERT_NO_FATAL_FAILURE(this->run(this->checked_.with_gifts(demand, this->random_, 4))) << "round " << round;
  }
}

TYPED_TEST_P(recut_pools, what_is_expected_is_granted_without_asking_for_memory) {
  int short_before = 0;
  for (int round = 0; round < 60; ++round) {
    const auto favoured = static_cast<std::uint32_t>(this->random_.below(64));
    pool_demand demand;
    demand.taken[favoured] = 1 + static_cast<std::uint32_t>(this->random_.below(4'000) / size_class_granules(favoured));
    demand.taken[favoured / 3] += 100;
    const pool_demand all = this->checked_.with_gifts(demand, this->random_, 3);
    auto& pool = this->checked_.pool();
    short_before += pool.is_short_of(all) ? 1 : 0;
    const std::size_t in_use = pool.bytes_in_use();
    const int refused_at = round % 6;  // from 4 on nothing is refused
    if (refused_at < 4) this->memory_->refuse_after(refused_at);
    pool.expect(this->res_, all);
    this->memory_->refuse_after(limited_memory::unlimited);
    if (refused_at < 4) {
      work_aside<TypeParam> aside(this->res_);
      pool.expect(this->res_, all, aside.res());
      aside.rejoin();
    }
    ASSERT_FALSE(pool.is_short_of(all)) << "round " << round;
    ASSERT_EQ(pool.bytes_in_use(), in_use) << "expecting lost granules";
    ASSERT_NO_FATAL_FAILURE(this->checked_.check_books());
    ASSERT_TRUE(kernel_grant<TypeParam>(this->res_, pool, all).has_extents()) << "round " << round;
    ASSERT_NO_FATAL_FAILURE(this->run(all));
  }
  EXPECT_GT(short_before, 0) << "nothing had to be expected";
}

/// As batches of a graph do: what the next one gives is guessed from the last one, kernels grant, and give less than
/// they might.
TYPED_TEST_P(recut_pools, guesses_and_grants_of_kernels_keep_the_books_right) {
  auto& pool = this->checked_.pool();
  pool_demand last;
  int late = 0;
  for (int round = 0; round < 120; ++round) {
    const std::uint64_t size = round % 40 < 20 ? 3'000 : 40;  // extents, of which a list fills many pages or hardly one
    pool_demand demand;
    for (const std::uint32_t c :
         {std::uint32_t{0}, std::uint32_t{1}, std::uint32_t{3}, static_cast<std::uint32_t>(round / 10)}) {
      demand.taken[c] += static_cast<std::uint32_t>(this->random_.below(size));
    }
    demand = this->checked_.with_gifts(demand, this->random_, 1 + this->random_.below(3));
    switch (this->random_.below(3)) {
      case 0:
        pool.expect_gifts(this->res_, last, 8);
        break;
      case 1:
        pool.expect(this->res_, last, 8 * static_cast<std::uint32_t>(this->random_.below(2)));
        break;
      default:
        break;
    }
    ASSERT_NO_FATAL_FAILURE(this->checked_.check_books()) << "round " << round;
    const kernel_grant<TypeParam> granted(this->res_, pool, demand);
    if (granted.has_extents()) {
      ASSERT_NO_FATAL_FAILURE(this->checked_.use(demand, granted));
    } else {
      ++late;
      ASSERT_NO_FATAL_FAILURE(this->checked_.use(pool.prepare(this->res_, demand)));
    }
    ASSERT_NO_FATAL_FAILURE(this->checked_.check_books()) << "round " << round;
    last = demand;
  }
  EXPECT_LT(late, 60) << "hardly any demand was granted";
}

TYPED_TEST_P(recut_pools, books_stay_right_when_memory_is_refused) {
  int refusals = 0;
  for (int round = 0; round < 12; ++round) {
    ASSERT_NO_FATAL_FAILURE(this->run(this->demand_of(20'000, 1 + round % 4)));
    ASSERT_NO_FATAL_FAILURE(this->give_all());
    auto& pool = this->checked_.pool();
    const pool_demand demand =
        this->checked_.with_gifts(this->demand_of(static_cast<std::uint32_t>(40 + 3 * round), 4000), this->random_, 2);
    const std::size_t in_use = pool.bytes_in_use();
    typename slab_pool<TypeParam>::grant grant;
    refuse_every_request(
        *this->memory_, [&] { grant = pool.prepare(this->res_, demand); },
        [&] {
          ++refusals;
          ASSERT_EQ(pool.bytes_in_use(), in_use);
          ASSERT_NO_FATAL_FAILURE(this->checked_.check_books());
        });
    ASSERT_NO_FATAL_FAILURE(this->checked_.check_books());
    ASSERT_NO_FATAL_FAILURE(this->checked_.use(grant));
    ASSERT_NO_FATAL_FAILURE(this->checked_.check_books());
    ASSERT_NO_FATAL_FAILURE(this->give_all());
  }
  EXPECT_GT(refusals, 12);
}

REGISTER_TYPED_TEST_SUITE_P(recut_pools, large_extents_serve_small_requests, many_sizes_serve_many_others,
                            neighbours_serve_large_requests,
                            extents_that_outgrow_their_sizes_together_use_their_memory_again,
                            changing_sizes_keep_the_books_right, what_is_expected_is_granted_without_asking_for_memory,
                            guesses_and_grants_of_kernels_keep_the_books_right,
                            books_stay_right_when_memory_is_refused);

}  // namespace mangrove::test
