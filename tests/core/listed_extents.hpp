#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>
#include <vector>

#include "mangrove/core/slab_pool.hpp"
#include "mangrove/core/transfer.hpp"

namespace mangrove::test {

/// The lists of freed extents of a pool, read back to the host.
class listed_extents {
 public:
  template <class Resources>
  listed_extents(const Resources& res, const freed_extents& lists) {
    for (std::uint32_t c = 0; c < size_classes; ++c) read_list(res, lists[c], c);
    const freed_extents::spare_pages spare = lists.spare();
    if (spare.count == 0) return;
    const std::vector<slab_index*> ring = to_host(res, spare.ring, std::size_t{spare.mask} + 1);
    for (std::uint32_t k = 0; k < spare.count; ++k) pages_.push_back(ring[(spare.head + k) & spare.mask]);
  }

  /// The extents of a class, from the one that is taken first on.
  [[nodiscard]] const std::vector<slab_index>& operator[](std::uint32_t size_class) const { return all_[size_class]; }

  /// Pages of all lists, and spare ones. No page is there twice.
  [[nodiscard]] std::size_t pages() const {
    EXPECT_EQ(std::set<slab_index*>(pages_.begin(), pages_.end()).size(), pages_.size());
    return pages_.size();
  }

 private:
  template <class Resources>
  void read_list(const Resources& res, const freed_extents::list& list, std::uint32_t c) {
    if (list.pages == 0) {
      EXPECT_EQ(list.count, 0U);
      return;
    }
    EXPECT_EQ(list.lacks(list.count), 0U);
    EXPECT_LE(list.pages, list.places());
    const std::vector<slab_index*> directory = to_host(res, list.directory, list.places());
    std::vector<slab_index> slots;
    for (std::uint32_t k = 0; k < list.pages; ++k) {
      pages_.push_back(directory[(list.first + k) & list.mask]);
      const std::vector<slab_index> on_page = to_host(res, pages_.back(), page_extents);
      slots.insert(slots.end(), on_page.begin(), on_page.end());
    }
    const auto from = slots.begin() + (list.head - list.first * page_extents);
    all_[c].assign(from, from + list.count);
  }

  std::array<std::vector<slab_index>, size_classes> all_;
  std::vector<slab_index*> pages_;
};

/// A demand that kernels grant as the pool is, or refuse.
template <backend B>
struct kernel_grant {
  kernel_grant(const resources<B>& res, slab_pool<B>& pool, const pool_demand& demand)
      : classes(res, size_classes), books(pool.snapshot()) {
    const auto asked = make_buffer<B>(res, &demand, 1);
    auto found = make_buffer<B>(res, &verdict, 1);
    for_each_tile_with_scratch<grant_extents::width, grant_extents::scratch_bytes>(
        res, 1, grant_extents{books, asked.data(), classes.data(), found.data()});
    verdict = read_back(res, found.data());
  }

  [[nodiscard]] bool has_extents() const {
    return verdict.refused == 0 && grant_extents::end_of(books.end, verdict) <= books.limit;
  }

  buffer<B, pool_ref::class_entry> classes;
  pool_snapshot books;
  pool_verdict verdict{};
};

}  // namespace mangrove::test
