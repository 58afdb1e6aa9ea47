#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "checked_pool.hpp"
#include "support/backend.hpp"
#include "support/random.hpp"

namespace mangrove::test {

/// Pools in which very many extents are taken and given back in turns: pages of their lists have to go round.
template <class B>
class page_rounds : public testing::Test {
 protected:
  /// Classes whose pages one lane moves, some lanes, and all.
  static constexpr std::array<std::uint32_t, 3> list_pages_of = {10, 168, 672};
  static constexpr auto classes = static_cast<std::uint32_t>(list_pages_of.size());

  page_rounds() : res_(make_resources<B>(make_limited_memory<B>())), pool_(res_, std::size_t{1} << 28) {}

  /// Extents that there are of a class: nearly so many pages full.
  static std::uint32_t all_of(std::uint32_t c) { return list_pages_of[c] * page_extents - 100; }

  /// Gets all extents and gives them back. In parts, so that the directories have less than twice the places, and a few
  /// pages are spare in the end.
  void fill_lists() {
    pool_demand all;
    for (std::uint32_t c = 0; c < classes; ++c) all.taken[c] = all_of(c);
    ASSERT_NO_FATAL_FAILURE(use_prepared(all));
    for (const std::uint32_t sixteenths : {12U, 15U, 16U}) {
      pool_demand part;
      for (std::uint32_t c = 0; c < classes; ++c) part.given[c] = in_use(c) - all_of(c) / 16 * (16 - sixteenths);
      ASSERT_NO_FATAL_FAILURE(use_prepared(part));
    }
  }

  /// At least three quarters of what is free.
  pool_demand taking_much() {
    pool_demand demand;
    for (std::uint32_t c = 0; c < classes; ++c) {
      const std::uint32_t free = all_of(c) - in_use(c);
      demand.taken[c] = free - static_cast<std::uint32_t>(random_.below(free / 4));
    }
    return demand;
  }

  /// Gives back all that is in use, and takes up to a quarter of what is free.
  pool_demand giving_all() {
    pool_demand demand;
    for (std::uint32_t c = 0; c < classes; ++c) {
      demand.given[c] = in_use(c);
      demand.taken[c] = static_cast<std::uint32_t>(random_.below((all_of(c) - in_use(c)) / 4 + 1));
    }
    return demand;
  }

  void use_prepared(const pool_demand& demand) {
    const auto granted = pool_.prepare(res_, demand);
    ASSERT_NO_FATAL_FAILURE(change(demand, granted.ref()));
    pool_.commit(granted);
  }

  /// Takes and gives as kernels grant it, which get no help.
  void use(const pool_demand& demand) {
    const kernel_grant<B> granted(res_, pool_, demand);
    ASSERT_TRUE(granted.has_extents());
    ASSERT_EQ(granted.verdict.fresh, 0U);
    ASSERT_NO_FATAL_FAILURE(change(demand, pool_ref(granted.classes.data())));
    pool_.commit(demand, demand.given, granted.verdict);
  }

  /// What becomes of a list's pages with a demand.
  page_turn turn_of(std::uint32_t c, const pool_demand& demand) {
    const freed_extents::list list = list_of(c);
    return list.turn(demand.taken[c], std::uint64_t{list.count} + demand.given[c], list_pages::all);
  }

  freed_extents::list list_of(std::uint32_t c) { return pool_.snapshot().lists[c]; }

  /// The pages of a list, in order.
  std::vector<slab_index*> pages_of(std::uint32_t c) {
    const freed_extents::list list = list_of(c);
    const std::vector<slab_index*> directory = to_host(res_, list.directory, list.places());
    std::vector<slab_index*> pages;
    for (std::uint32_t k = 0; k < list.pages; ++k) pages.push_back(directory[(list.first + k) & list.mask]);
    return pages;
  }

  /// Pages of all lists and spare ones, none of which is there twice.
  std::size_t pages() { return listed_extents(res_, pool_.snapshot().lists).pages(); }

  seeded_random random_;
  resources<B> res_;
  slab_pool<B> pool_;

 private:
  [[nodiscard]] std::uint32_t in_use(std::uint32_t c) const { return static_cast<std::uint32_t>(in_use_[c].size()); }

  void change(const pool_demand& demand, const pool_ref& ref) {
    for (std::uint32_t c = 0; c < classes; ++c) {
      std::vector<slab_index> given = std::move(in_use_[c]);
      in_use_[c].assign(given.begin() + demand.given[c], given.end());
      given.resize(demand.given[c]);
      ASSERT_NO_FATAL_FAILURE(take(ref, c, demand.taken[c]));
      give(ref, c, given);
    }
  }

  void take(const pool_ref& ref, std::uint32_t c, std::uint32_t count) {
    buffer<B, slab_index> taken(res_, count);
    for_each_tile<1>(res_, count, take_extents{ref, c, taken.data()});
    for (const slab_index first : download(res_, taken)) {
      const std::uint64_t end = std::uint64_t{first} + size_class_granules(c);
      ASSERT_LE(end * granule_bytes, pool_.bytes_committed());
      if (owned_.size() < end) owned_.resize(end);
      for (std::uint64_t granule = first; granule < end; ++granule) {
        ASSERT_EQ(owned_[granule], 0) << "an extent was handed out twice";
        owned_[granule] = 1;
      }
      in_use_[c].push_back(first);
    }
  }

  void give(const pool_ref& ref, std::uint32_t c, const std::vector<slab_index>& firsts) {
    const auto given = upload(res_, firsts);
    for_each_tile<1>(res_, firsts.size(), give_extents{ref, c, given.data()});
    res_.synchronize();
    for (const slab_index first : firsts) {
      for (std::uint32_t k = 0; k < size_class_granules(c); ++k) owned_[first + k] = 0;
    }
  }

  std::array<std::vector<slab_index>, classes> in_use_;
  std::vector<char> owned_;  ///< granules of extents that are in use
};

TYPED_TEST_SUITE_P(page_rounds);

/// A list that is emptied and filled again needs no page but its own, and hardly ever the host.
TYPED_TEST_P(page_rounds, lists_use_the_pages_again_that_they_have_read) {
  ASSERT_NO_FATAL_FAILURE(this->fill_lists());
  const std::size_t bytes = this->pool_.bytes_of_lists();
  const std::size_t pages = this->pages();
  std::array<std::uint32_t, TestFixture::classes> round{};
  std::array<std::uint32_t, TestFixture::classes> more{};
  std::array<std::uint32_t, TestFixture::classes> full{};
  for (int batch = 0; batch < 100; ++batch) {
    const pool_demand demand = batch % 2 == 0 ? this->taking_much() : this->giving_all();
    for (std::uint32_t c = 0; c < TestFixture::classes; ++c) {
      const page_turn turn = this->turn_of(c, demand);
      const freed_extents::list list = this->list_of(c);
      round[c] += turn.round;
      more[c] += turn.more;
      if (list.pages + turn.more + turn.round > list.places()) ++full[c];
    }
    ASSERT_NO_FATAL_FAILURE(this->use(demand)) << "batch " << batch;
    ASSERT_EQ(this->pool_.bytes_of_lists(), bytes);
    if (batch % 25 == 0) {
      ASSERT_EQ(this->pages(), pages) << "batch " << batch;
    }
  }
  for (std::uint32_t c = 0; c < TestFixture::classes; ++c) {
    EXPECT_GT(round[c], 25 * TestFixture::list_pages_of[c]);
    EXPECT_LE(more[c], 2U) << "for another place on the first page";
    EXPECT_GT(full[c], 20U) << "pages have to stay where they are";
  }
  EXPECT_EQ(this->pages(), pages);
}

/// The host may drop what kernels have granted, and has to where they refuse a part.
TYPED_TEST_P(page_rounds, lists_are_as_they_were_where_a_grant_is_not_booked) {
  ASSERT_NO_FATAL_FAILURE(this->fill_lists());
  const std::size_t pages = this->pages();
  for (int batch = 0; batch < 20; ++batch) {
    const pool_demand demand = batch % 2 == 0 ? this->taking_much() : this->giving_all();
    std::array<std::vector<slab_index*>, TestFixture::classes> before;
    for (std::uint32_t c = 0; c < TestFixture::classes; ++c) before[c] = this->pages_of(c);
    const kernel_grant<TypeParam> dropped(this->res_, this->pool_, demand);
    ASSERT_TRUE(dropped.has_extents());
    pool_demand too_much = demand;
    too_much.given[TestFixture::classes] = std::uint32_t{1} << 30;
    const kernel_grant<TypeParam> refused(this->res_, this->pool_, too_much);
    ASSERT_FALSE(refused.has_extents());
    for (std::uint32_t c = 0; c < TestFixture::classes; ++c) ASSERT_EQ(this->pages_of(c), before[c]);
    ASSERT_NO_FATAL_FAILURE(batch % 4 < 2 ? this->use(demand) : this->use_prepared(demand)) << "batch " << batch;
    ASSERT_EQ(this->pages(), pages) << "batch " << batch;
  }
}

REGISTER_TYPED_TEST_SUITE_P(page_rounds, lists_use_the_pages_again_that_they_have_read,
                            lists_are_as_they_were_where_a_grant_is_not_booked);

}  // namespace mangrove::test
