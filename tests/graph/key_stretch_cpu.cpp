#include "key_stretch.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "mangrove/core/tile.hpp"
#include "support/random.hpp"

/// @file
/// Keys that are made for a stretch of updates at once, against those that are made one by one.

namespace mangrove::test {

namespace {

using detail::batch_status;
using detail::key_stretch;
using detail::key_updates;

class key_stretches : public testing::Test {
 protected:
  static constexpr std::uint32_t known = 1000;
  static constexpr std::size_t count = 3 * key_stretch::stretch + 77;

  key_stretches() : sources_(count), targets_(count), present_((known + 32) / 32 + 1, ~std::uint32_t{0}) {
    for (std::size_t i = 0; i < count; ++i) {
      sources_[i] = static_cast<std::uint32_t>(random_.below(known / 2));
      targets_[i] = static_cast<std::uint32_t>(known / 2 + random_.below(known / 2));
    }
  }

  /// Makes keys both ways for all sorts of batches of these updates, and compares them and what is noted.
  void check() {
    for (const auto direction : {edge_direction::directed, edge_direction::undirected}) {
      for (const auto loops : {self_loops::keep, self_loops::drop}) {
        for (const auto kind : {update_kind::insert, update_kind::erase, update_kind::insert_vertex}) {
          for (const bool ordered : {false, true}) {
            check({{sources_.data(), targets_.data(), kinds(), kind, count}, direction, loops, false}, ordered);
          }
        }
      }
    }
  }

  seeded_random random_;
  std::vector<std::uint32_t> sources_, targets_, present_;
  std::vector<update_kind> kinds_;
  std::uint64_t vertices_ = known + 1;  ///< all, and more: as many as indices where none is missing
  std::uint32_t indices_ = known + 1;

 private:
  [[nodiscard]] const update_kind* kinds() const { return kinds_.empty() ? nullptr : kinds_.data(); }

  template <class Make>
  std::vector<std::uint64_t> keys_of(const detail::edge_updates& updates, bool ordered, batch_status& status,
                                     Make make) {
    std::vector<std::uint64_t> keys(updates.size());
    const detail::update_admission admission{updates, present_.data(), known, indices_, vertices_, nullptr, &status};
    make(key_updates{admission, detail::run_keys::for_batch(updates, indices_, ordered), keys.data()});
    return keys;
  }

  void check(const detail::edge_updates& updates, bool ordered) {
    const cpu_tile<1> tile;
    batch_status one_by_one{};
    batch_status at_once{};
    const auto expected = keys_of(updates, ordered, one_by_one, [&](const key_updates& body) {
      for (std::size_t i = 0; i < count; ++i) body(tile, i);
    });
    const auto keys = keys_of(updates, ordered, at_once, [&](const key_updates& body) {
      for (std::size_t i = 0; i < key_stretch::calls_for(count); ++i) key_stretch{body}(tile, i);
    });
    EXPECT_EQ(keys, expected);
    EXPECT_EQ(at_once.creating, one_by_one.creating);
    EXPECT_EQ(at_once.unsuited, one_by_one.unsuited);
    EXPECT_EQ(at_once.index_limit, one_by_one.index_limit);
    EXPECT_EQ(at_once.beyond, one_by_one.beyond);
  }
};

TEST_F(key_stretches, of_vertices_that_are_there) {
  check();
  vertices_ = 999;  // some of others are missing
  check();
}

TEST_F(key_stretches, with_vertices_that_come_to_be) {
  vertices_ = 900;
  present_[sources_[count / 2] / 32] &= ~(1U << sources_[count / 2] % 32);
  check();
  present_.assign(present_.size(), ~std::uint32_t{0});
  present_[targets_[count - 1] / 32] &= ~(1U << targets_[count - 1] % 32);
  check();
}

TEST_F(key_stretches, with_self_loops) {
  sources_[700] = targets_[700];
  check();
}

TEST_F(key_stretches, with_vertices_beyond_the_dictionary) {
  sources_[100] = known;  // for which there is room
  check();
  targets_[count - 2] = known + 50;
  check();
}

TEST_F(key_stretches, of_all_kinds) {
  for (std::size_t i = 0; i < count; ++i) {
    kinds_.push_back(random_.below(2) == 0 ? update_kind::insert : update_kind::erase);
  }
  check();
}

}  // namespace

}  // namespace mangrove::test
