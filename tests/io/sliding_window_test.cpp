#include "mangrove/io/sliding_window.hpp"

#include <map>
#include <set>

#include "support.hpp"

namespace mangrove::io::test {
namespace {

using edge = std::pair<std::uint64_t, std::uint64_t>;

edge key(std::uint64_t u, std::uint64_t v, window_edges edges) {
  return edges == window_edges::undirected && u > v ? edge{v, u} : edge{u, v};
}

stream_batch timed(std::initializer_list<std::tuple<std::uint64_t, std::uint64_t, std::int64_t>> updates) {
  stream_batch batch;
  for (const auto& [u, v, t] : updates) {
    batch.updates.push_back(update_kind::insert, u, v);
    batch.times.push_back(t);
    batch.newest_time = t;
  }
  return batch;
}

TEST(sliding_window, an_edge_leaves_when_it_is_as_old_as_the_window_is_wide) {
  sliding_window window(10);
  stream_batch batch = timed({{1, 2, 0}, {2, 3, 1}});
  window.apply(batch);
  EXPECT_EQ(batch.expired, 0u);
  batch = timed({{7, 8, 9}});
  window.apply(batch);
  EXPECT_EQ(batch.expired, 0u) << "age 9";
  batch = timed({{2, 1, 10}});
  window.apply(batch);
  EXPECT_EQ(batch.expired, 0u) << "seen again in the other direction";
  batch = timed({{5, 6, 11}});
  window.apply(batch);
  ASSERT_EQ(batch.expired, 1u);
  EXPECT_EQ(batch.updates.kinds.back(), update_kind::erase);
  EXPECT_EQ(batch.updates.sources.back(), 2u);
  EXPECT_EQ(batch.updates.targets.back(), 3u);
  EXPECT_EQ(batch.times.size(), 1u);
  EXPECT_EQ(window.size(), 3u);
}

TEST(sliding_window, misuse) {
  EXPECT_THROW(sliding_window(0), usage_error);
  sliding_window window(1);
  stream_batch batch;
  batch.updates.push_back(update_kind::insert, 1, 2);
  EXPECT_THROW(window.apply(batch), usage_error);
}

TEST(sliding_window, times_at_the_ends_of_their_type) {
  sliding_window window(largest_id);
  stream_batch batch = timed({{1, 2, std::numeric_limits<std::int64_t>::min()}});
  window.apply(batch);
  batch = timed({{3, 4, std::numeric_limits<std::int64_t>::max() - 1}});
  window.apply(batch);
  EXPECT_EQ(batch.expired, 0u);
  batch = timed({{3, 4, std::numeric_limits<std::int64_t>::max()}});
  window.apply(batch);
  EXPECT_EQ(batch.expired, 1u);
}

void compare_with_oracle(std::uint64_t seed, window_edges edges) {
  std::mt19937_64 random(seed);
  const std::uint64_t width = 1 + random() % 60;
  const std::uint64_t vertices = 2 + random() % 30;
  const std::uint64_t longest_gap = 1 + random() % 8;
  sliding_window window(width, edges);
  std::map<edge, std::int64_t> last_seen;
  std::set<edge> graph;
  std::int64_t time = static_cast<std::int64_t>(random() % 100) - 50;
  for (int round = 0; round < 60; ++round) {
    stream_batch batch;
    const std::size_t count = 1 + random() % 20;
    for (std::size_t i = 0; i < count; ++i) {
      time += static_cast<std::int64_t>(random() % longest_gap);
      const std::uint64_t u = random() % vertices;
      const std::uint64_t v = random() % vertices;
      batch.updates.push_back(update_kind::insert, u, v);
      batch.times.push_back(time);
      last_seen[key(u, v, edges)] = time;
    }
    batch.newest_time = time;
    window.apply(batch);
    ASSERT_EQ(batch.updates.size(), count + batch.expired);
    for (std::size_t i = 0; i < batch.updates.size(); ++i) {
      const edge e = key(batch.updates.sources[i], batch.updates.targets[i], edges);
      if (batch.updates.kinds[i] == update_kind::insert) {
        graph.insert(e);
      } else {
        ASSERT_EQ(graph.erase(e), 1u) << "an erase of what is not there, seed " << seed;
      }
    }
    std::set<edge> expected;
    for (const auto& [e, seen] : last_seen) {
      if (static_cast<std::uint64_t>(time - seen) < width) expected.insert(e);
    }
    ASSERT_EQ(graph, expected) << "seed " << seed << ", round " << round;
    ASSERT_EQ(window.size(), expected.size());
  }
}

TEST(sliding_window, holds_what_the_definition_says) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    ASSERT_NO_FATAL_FAILURE(compare_with_oracle(seed, window_edges::undirected));
    ASSERT_NO_FATAL_FAILURE(compare_with_oracle(seed, window_edges::directed));
  }
}

}  // namespace
}  // namespace mangrove::io::test
