#include "bin_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "mangrove/core/tile.hpp"
#include "support/random.hpp"

namespace mangrove::test {
namespace {

using detail::bin_format;
using detail::bin_slots;

template <bin_slots Way>
struct slots_way {
  static constexpr bin_slots value = Way;
};

/// Keys of a bin, put in order by vertex in the ways that a GPU does, by a tile of the CPU.
template <class Way>
class bin_order : public testing::Test {
 protected:
  using order_type = detail::bin_order<Way::value>;
  static constexpr std::uint32_t most_vertices = detail::limits_of(Way::value).vertices;

  /// A format of one bin with so many vertices.
  static bin_format format_of(std::uint32_t vertices) {
    bin_format made{};
    made.way = Way::value;
    made.vertices = vertices;
    made.index_bits = 20;
    made.capacity = order_type::most_keys;
    return made;
  }

  /// Keys whose targets tell them apart.
  std::vector<std::uint64_t> draw(const bin_format& format, std::uint32_t size) {
    std::vector<std::uint64_t> keys(size);
    for (std::uint32_t k = 0; k < size; ++k) {
      keys[k] = format.key(static_cast<std::uint32_t>(random_.below(format.vertices)), k, 0);
    }
    return keys;
  }

  void expect_in_order(const bin_format& format, const std::vector<std::uint64_t>& keys) {
    std::map<std::uint32_t, std::vector<std::uint64_t>> by_vertex;
    for (const std::uint64_t key : keys) by_vertex[format.local(key)].push_back(key);
    std::map<std::uint32_t, int> found;
    const cpu_tile<512> tile;
    const auto size = static_cast<std::uint32_t>(keys.size());
    order_->clear(tile, format);
    order_->order(tile, format, detail::bin_source(tile, keys.data(), size), size,
                  [&](std::uint32_t vertex) { ++found[vertex]; });
    ASSERT_EQ(order_->count, by_vertex.size());
    ASSERT_EQ(found.size(), by_vertex.size());
    std::uint32_t k = 0;
    for (auto& [vertex, own] : by_vertex) {
      ASSERT_EQ(order_->vertices[k].local, vertex);
      ASSERT_EQ(found.count(vertex), 1U);
      std::vector<std::uint64_t> there(order_->keys + order_->begin_of(k), order_->keys + order_->end_of(k));
      std::sort(there.begin(), there.end());
      std::sort(own.begin(), own.end());
      ASSERT_EQ(there, own) << "of vertex " << vertex << " of " << format.vertices;
      ++k;
    }
  }

  seeded_random random_;
  std::unique_ptr<order_type> order_ = std::make_unique<order_type>();
};

using all_ways = testing::Types<slots_way<bin_slots::by_number>, slots_way<bin_slots::by_rank>,
                                slots_way<bin_slots::by_rank_of_many>>;
TYPED_TEST_SUITE(bin_order, all_ways);

/// Bins of all sizes, so that their keys stay in scratch between the steps, or do not.
TYPED_TEST(bin_order, puts_all_keys_beside_those_of_their_vertex) {
  for (int round = 0; round < 100; ++round) {
    const auto vertices = static_cast<std::uint32_t>(1 + this->random_.below(this->most_vertices));
    const auto size = static_cast<std::uint32_t>(1 + this->random_.below(TestFixture::order_type::most_keys));
    const bin_format format = this->format_of(vertices);
    this->expect_in_order(format, this->draw(format, size));
    if (testing::Test::HasFatalFailure()) return;
  }
}

TYPED_TEST(bin_order, takes_as_many_keys_and_vertices_as_there_is_room_for) {
  const bin_format format = this->format_of(this->most_vertices);
  std::vector<std::uint64_t> keys = this->draw(format, TestFixture::order_type::most_keys);
  keys.back() = format.key(format.vertices - 1, 0, 0);
  this->expect_in_order(format, keys);
}

TYPED_TEST(bin_order, one_vertex_may_have_all_keys) {
  const bin_format format = this->format_of(1);
  this->expect_in_order(format, this->draw(format, TestFixture::order_type::most_keys));
}

}  // namespace
}  // namespace mangrove::test
