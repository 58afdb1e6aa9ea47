#include "mangrove/core/for_each.cuh"

#include "mangrove/core/tile_part.hpp"
#include "tile_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cuda, tiles, testing::Types<cuda>);

namespace {

/// What a lane sees of its part.
struct part_report {
  std::uint32_t ballot, broadcast;
  std::int32_t number, lane;
  bool any;
};

/// Operation i is a warp's; its lanes vote by the bits of `words[i]`, each part asks a lane of its own for its value.
template <int Lanes>
struct exercise_parts {
  const std::uint32_t* words;
  part_report* reports;

  template <class Tile>
  __device__ void operator()(const Tile& tile, std::size_t i) const {
    const tile_part<Tile, Lanes> part(tile);
    const bool vote = (words[i] >> tile.lane() & 1) != 0;
    const auto value = static_cast<std::uint32_t>(100 + tile.lane());
    reports[i * 32 + tile.lane()] = {part.ballot(vote), part.broadcast(value, part.number() % Lanes), part.number(),
                                     part.lane(), part.any_in_tile(vote)};
  }
};

template <int Lanes>
void check_parts(seeded_random& random) {
  const cuda_resources res = make_resources<cuda>();
  std::vector<std::uint32_t> words{0, ~0U, 1, 1U << 31};
  while (words.size() < 100) words.push_back(static_cast<std::uint32_t>(random()));
  const auto device_words = upload(res, words);
  buffer<cuda, part_report> reports(res, words.size() * 32);
  for_each_tile<32>(res, words.size(), exercise_parts<Lanes>{device_words.data(), reports.data()});
  const std::vector<part_report> got = download(res, reports);
  for (std::size_t i = 0; i < got.size(); ++i) {
    const std::uint32_t word = words[i / 32];
    const int lane = static_cast<int>(i % 32);
    const int number = lane / Lanes;
    ASSERT_EQ(got[i].ballot, (word >> (number * Lanes)) & ((1U << Lanes) - 1)) << "lane " << lane;
    ASSERT_EQ(got[i].broadcast, 100 + number * Lanes + number % Lanes) << "lane " << lane;
    ASSERT_EQ(got[i].number, number);
    ASSERT_EQ(got[i].lane, lane % Lanes);
    ASSERT_EQ(got[i].any, word != 0);
  }
}

TEST(tile_part, votes_and_values_are_its_own) {
  seeded_random random;
  check_parts<2>(random);
  check_parts<4>(random);
  check_parts<8>(random);
  check_parts<16>(random);
}

}  // namespace
}  // namespace mangrove::test
