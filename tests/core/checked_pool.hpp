#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <vector>

#include "listed_extents.hpp"
#include "mangrove/core/slab_pool.hpp"
#include "support/backend.hpp"
#include "support/random.hpp"

namespace mangrove::test {

/// Takes the k-th extent of a class, for operation k.
struct take_extents {
  pool_ref pool;
  std::uint32_t size_class;
  slab_index* taken;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t k) const {
    if (tile.lane() == 0) taken[k] = pool.take(size_class, static_cast<std::uint32_t>(k));
  }
};

struct give_extents {
  pool_ref pool;
  std::uint32_t size_class;
  const slab_index* given;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t k) const {
    if (tile.lane() == 0) pool.give(size_class, static_cast<std::uint32_t>(k), given[k]);
  }
};

/// A pool and the extents that are in use.
template <class B>
class checked_pool {
 public:
  checked_pool(const resources<B>& res, std::size_t capacity) : res_(res), pool_(res, capacity) {}

  slab_pool<B>& pool() { return pool_; }
  std::size_t granules_in_use() const {
    std::size_t granules = 0;
    for (const auto& [first, size_class] : in_use_) granules += size_class_granules(size_class);
    return granules;
  }

  /// A demand that gives back some extents, each with one chance in `one_in`.
  pool_demand random_demand(seeded_random& random, std::uint64_t one_in) {
    pool_demand demand;
    for (int i = 0; i < 4; ++i) demand.taken[random.below(40)] += static_cast<std::uint32_t>(random.below(50));
    return with_gifts(demand, random, one_in);
  }

  /// The demand, with some extents to be given back, each with one chance in `one_in`.
  pool_demand with_gifts(pool_demand demand, seeded_random& random, std::uint64_t one_in) {
    giving_.assign(size_classes, {});
    for (const auto& [first, size_class] : in_use_) {
      if (random.below(one_in) != 0) continue;
      giving_[size_class].push_back(first);
      ++demand.given[size_class];
    }
    return demand;
  }

  /// The demand, with nothing to be given back.
  pool_demand without_gifts(const pool_demand& demand) {
    giving_.assign(size_classes, {});
    return demand;
  }

  /// Takes and gives what the last demand says, with its grant.
  void use(const typename slab_pool<B>::grant& grant) {
    change(grant.demand, grant.ref());
    pool_.commit(grant);
  }

  /// The same as kernels have granted it, but gives half of what it might.
  void use(const pool_demand& demand, const kernel_grant<B>& granted) {
    detail::class_counts given{};
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      giving_[c].resize(giving_[c].size() / 2);
      given[c] = static_cast<std::uint32_t>(giving_[c].size());
    }
    change(demand, pool_ref(granted.classes.data()));
    pool_.commit(demand, given, granted.verdict);
  }

  /// Extents in use and free ones: they start where their classes may, do not overlap, and are all that was handed out,
  /// but for what aligning fresh extents has cost.
  void check_books() {
    std::map<slab_index, std::uint32_t> all = in_use_;
    const pool_snapshot books = pool_.snapshot();
    const listed_extents free(res_, books.lists);
    ASSERT_GE(free.pages(), pages_seen_) << "pages were lost";
    pages_seen_ = free.pages();
    for (std::uint32_t c = 0; c < size_classes; ++c) ASSERT_NO_FATAL_FAILURE(add_free(c, free[c], all));
    std::uint64_t end = 0;
    std::uint64_t granules = 0;
    for (const auto& [first, size_class] : all) {
      ASSERT_GE(first, end) << "extents overlap";
      granules += size_class_granules(size_class);
      end = std::uint64_t{first} + size_class_granules(size_class);
    }
    ASSERT_LE(end, books.end);
    ASSERT_LE(books.end, books.limit);
    ASSERT_LE(books.end - granules, may_be_lost_) << "granules were lost";
    ASSERT_EQ(pool_.bytes_in_use(), (books.end - granules + granules_in_use()) * granule_bytes);
  }

 private:
  void add_free(std::uint32_t c, const std::vector<slab_index>& free, std::map<slab_index, std::uint32_t>& all) {
    for (const slab_index first : free) {
      ASSERT_EQ(first % size_class_alignment(c), 0U);
      ASSERT_TRUE(all.emplace(first, c).second) << "an extent is free twice, or free and in use";
    }
  }

  void change(const pool_demand& demand, const pool_ref& ref) {
    for (std::uint32_t c = 0; c < size_classes; ++c) take(ref, c, demand.taken[c]);
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      const auto given = upload(res_, giving_[c]);
      for_each_tile<1>(res_, giving_[c].size(), give_extents{ref, c, given.data()});
      res_.synchronize();
      for (const slab_index first : giving_[c]) in_use_.erase(first);
    }
    for (const std::uint32_t taken : demand.taken) may_be_lost_ += taken != 0 ? granules_per_slab - 1 : 0;
  }

  void take(const pool_ref& ref, std::uint32_t c, std::uint32_t count) {
    buffer<B, slab_index> taken(res_, count);
    for_each_tile<1>(res_, count, take_extents{ref, c, taken.data()});
    for (const slab_index first : download(res_, taken)) ASSERT_NO_FATAL_FAILURE(check_extent(first, c));
  }

  void check_extent(slab_index first, std::uint32_t size_class) {
    const std::uint64_t last = std::uint64_t{first} + size_class_granules(size_class);
    ASSERT_LE(last * granule_bytes, pool_.bytes_committed());
    if (size_class_granules(size_class) % granules_per_slab == 0) {
      ASSERT_EQ(first % granules_per_slab, 0U);
    }
    ASSERT_EQ(first % size_class_alignment(size_class), 0U);
    const auto [at, fresh] = in_use_.emplace(first, size_class);
    ASSERT_TRUE(fresh) << "an extent was handed out twice";
    if (at != in_use_.begin()) {
      const auto before = std::prev(at);
      ASSERT_LE(before->first + size_class_granules(before->second), first) << "extents overlap";
    }
    if (std::next(at) != in_use_.end()) {
      ASSERT_LE(last, std::next(at)->first) << "extents overlap";
    }
  }

  resources<B> res_;
  slab_pool<B> pool_;
  std::map<slab_index, std::uint32_t> in_use_;  ///< their classes
  std::size_t pages_seen_ = 0;
  std::uint64_t may_be_lost_ = 0;  ///< granules behind fresh extents
  std::vector<std::vector<slab_index>> giving_ = std::vector<std::vector<slab_index>>(size_classes);
};

}  // namespace mangrove::test
