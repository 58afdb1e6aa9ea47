#include "hub_tally.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "mangrove/core/tile.hpp"
#include "support/random.hpp"

namespace mangrove::test {

namespace {

using detail::edge_outcome;
using detail::hub_counts;
using detail::hub_piece;
using detail::hub_tally;

constexpr std::uint32_t most_updates = (1U << 14) - 1;

/// Adds pieces to one word. @return what they come to, by who has added the last one
hub_counts add_all(const std::vector<hub_counts>& pieces, update_kind kind) {
  std::uint64_t word = 0;
  for (std::size_t k = 0; k + 1 < pieces.size(); ++k) {
    EXPECT_EQ(hub_tally(cpu_tile<32>(), pieces[k]).add_to(&word).pieces(), k + 1);
  }
  const hub_tally all = hub_tally(cpu_tile<32>(), pieces.back()).add_to(&word);
  EXPECT_EQ(all.pieces(), pieces.size());
  return all.counts(kind);
}

void expect_equal(const hub_counts& got, const hub_counts& expected) {
  EXPECT_EQ(got.inserted, expected.inserted);
  EXPECT_EQ(got.overwritten, expected.overwritten);
  EXPECT_EQ(got.erased, expected.erased);
  EXPECT_EQ(got.tombstones, expected.tombstones);
  EXPECT_EQ(got.loop, expected.loop);
}

/// So many updates of one outcome, in pieces, each of which makes or takes a tombstone.
void check_alike(edge_outcome outcome, std::uint32_t updates) {
  hub_counts expected;
  std::vector<hub_counts> pieces;
  for (std::uint32_t first = 0; first < updates; first += hub_piece::least_updates) {
    pieces.emplace_back();
    for (std::uint32_t k = first; k < updates && k < first + hub_piece::least_updates; ++k) {
      for (hub_counts* const counts : {&pieces.back(), &expected}) {
        counts->add(outcome);
        counts->tombstones += outcome == edge_outcome::erase ? 1U : ~0U;
      }
    }
  }
  expect_equal(add_all(pieces, outcome == edge_outcome::erase ? update_kind::erase : update_kind::insert), expected);
}

}  // namespace

TEST(hub_tally, counts_as_many_updates_as_it_suits) {
  EXPECT_TRUE(hub_tally::suits(most_updates));
  EXPECT_FALSE(hub_tally::suits(most_updates + 1));
  for (const std::uint32_t updates : {33U, 64U, 1000U, most_updates}) {
    for (const edge_outcome outcome : {edge_outcome::insert, edge_outcome::overwrite, edge_outcome::erase}) {
      check_alike(outcome, updates);
    }
  }
}

TEST(hub_tally, counts_of_any_pieces_add_up) {
  seeded_random random;
  for (int turn = 0; turn < 100; ++turn) {
    std::vector<hub_counts> pieces(2 + random.below(500));
    hub_counts expected;
    for (hub_counts& piece : pieces) {
      piece.inserted = static_cast<std::uint32_t>(random.below(20));
      piece.overwritten = static_cast<std::uint32_t>(random.below(13));
      piece.tombstones = ~static_cast<std::uint32_t>(random.below(20)) + 1;
      expected.inserted += piece.inserted;
      expected.overwritten += piece.overwritten;
      expected.tombstones += piece.tombstones;
    }
    expected.loop = turn % 2 == 0 ? edge_outcome::insert : edge_outcome::overwrite;
    pieces[random.below(pieces.size())].loop = expected.loop;
    expect_equal(add_all(pieces, update_kind::insert), expected);
  }
}

}  // namespace mangrove::test
