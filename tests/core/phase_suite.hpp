#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mangrove/core/atomic.hpp"
#include "mangrove/core/counted_part.hpp"
#include "support/backend.hpp"

namespace mangrove::test {

/// In each phase but the last every tile tells the tile `step` further a number, which depends on all that it was told
/// before and keeps in scratch; in the last one the numbers are added up.
struct pass_on {
  static constexpr int phases = 4;
  static constexpr int width = 128;
  static constexpr int bytes = 256;
  using sums_type = call_sums<1>;

  std::uint32_t* told;  ///< [dim = (phases - 1) * tiles] by phase, then by tile
  std::uint32_t* sum;
  std::uint32_t tiles;
  std::uint32_t step;

  template <int P, class Tile>
  MANGROVE_HOST_DEVICE auto operator()(phase<P>, const Tile& tile, std::size_t i, std::byte* scratch) const {
    auto* const kept = reinterpret_cast<std::uint32_t*>(scratch);
    const auto own = static_cast<std::uint32_t>(i);
    // By a lane that differs, so that a phase sees what other lanes of its tile kept, too.
    if (tile.lane() == P % Tile::lanes) {
      const std::uint32_t before = P == 0 ? own : mix(kept[0], told[(P - 1) * tiles + own]);
      kept[0] = before;
      if (P < phases - 1) told[P * tiles + (own + step) % tiles] = before;
    }
    tile.sync();
    if constexpr (P == phases - 1) {
      sums_type made;
      if (tile.lane() == 0) made.of[0] = kept[0];
      return made;
    }
  }

  MANGROVE_HOST_DEVICE void book(const sums_type& all) const { fetch_add(sum, all.of[0]); }

  MANGROVE_HOST_DEVICE static std::uint32_t mix(std::uint32_t kept, std::uint32_t told) {
    return kept * 31 + told * 7 + 1;
  }

  /// What all add up to.
  static std::uint32_t expected(std::uint32_t tiles, std::uint32_t step) {
    std::vector<std::uint32_t> kept(tiles);
    for (std::uint32_t i = 0; i < tiles; ++i) kept[i] = i;
    for (int p = 1; p < phases; ++p) {
      std::vector<std::uint32_t> next(tiles);
      for (std::uint32_t i = 0; i < tiles; ++i) next[(i + step) % tiles] = mix(kept[(i + step) % tiles], kept[i]);
      kept = next;
    }
    std::uint32_t sum = 0;
    for (const std::uint32_t number : kept) sum += number;
    return sum;
  }
};

template <class B>
class phases : public testing::Test {
 protected:
  void check(std::uint32_t tiles, std::uint32_t step) {
    buffer<B, std::uint32_t> words(res_, std::size_t{pass_on::phases - 1} * tiles + 2);
    fill_bytes(res_, words.data(), 0, words.size());
    const pass_on body{words.data() + 2, words.data(), tiles, step};
    for_each_tile_in_phases<pass_on::width, pass_on::bytes>(res_, tiles, body, words.data() + 1);
    EXPECT_EQ(download(res_, words)[0], pass_on::expected(tiles, step)) << tiles << " tiles, step " << step;
  }

  resources<B> res_ = make_resources<B>();
};

TYPED_TEST_SUITE_P(phases);

TYPED_TEST_P(phases, see_what_all_tiles_did_before) {
  const std::size_t most = most_tiles_in_phases<pass_on::width, pass_on::bytes, pass_on>(this->res_);
  ASSERT_GE(most, 64U);
  const auto many = static_cast<std::uint32_t>(std::min<std::size_t>(most, 5000));
  for (const std::uint32_t tiles : {1U, 2U, 7U, 64U, many}) {
    for (const std::uint32_t step : {0U, 1U, tiles / 2, tiles - 1}) this->check(tiles, step);
  }
}

TYPED_TEST_P(phases, follow_each_other_on_one_stream) {
  for (std::uint32_t round = 0; round < 50; ++round) this->check(40 + round, round);
}

REGISTER_TYPED_TEST_SUITE_P(phases, see_what_all_tiles_did_before, follow_each_other_on_one_stream);

}  // namespace mangrove::test
