#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "program.hpp"
#include "stream_oracle.hpp"

/// @file
/// `mangrove stream` against an oracle, on the backend of the test program that includes this.

namespace mangrove::app::test {

/// Random updates among a few vertices, so that triangles come and go, with loops, repeats and erases of nothing.
inline std::vector<listed_update> random_updates(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  std::vector<listed_update> list;
  std::int64_t time = -50;
  for (std::size_t i = 0; i < count; ++i) {
    listed_update update;
    update.what = random() % 5 < 2 ? listed_update::kind::erase : listed_update::kind::insert;
    update.source = random() % 30;
    update.target = random() % 30;
    update.time = time += static_cast<std::int64_t>(random() % 4);
    list.push_back(update);
  }
  return list;
}

/// Runs `mangrove stream --json` with `arguments` and compares each line with what the oracle says.
inline void expect_stream(std::vector<std::string> arguments, stream_oracle oracle,
                          const std::vector<std::vector<listed_update>>& batches, const std::string& input = "") {
  using nlohmann::json;
  arguments.insert(arguments.begin(), {"stream", "--json", "--verify", "--backend", MANGROVE_TEST_BACKEND});
  const auto result = run(arguments, {input});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto lines = lines_of(result.out);
  ASSERT_EQ(lines.size(), batches.size() + 1);
  oracle_batch total;
  std::uint64_t updates = 0, ignored = 0;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const auto expected = oracle.apply(batches[i]);
    const auto found = json::parse(lines[i]);
    ASSERT_EQ(found["batch"], i + 1);
    ASSERT_EQ(found["inserted"], expected.inserted) << lines[i];
    ASSERT_EQ(found["overwritten"], expected.overwritten) << lines[i];
    ASSERT_EQ(found["erased"], expected.erased) << lines[i];
    ASSERT_EQ(found["edges"], expected.edges) << lines[i];
    ASSERT_EQ(found["triangles"], expected.triangles) << lines[i];
    ASSERT_EQ(found["ignored"], batches[i].size() + found["expired"].get<std::uint64_t>() - expected.inserted -
                                    expected.overwritten - expected.erased)
        << lines[i];
    ASSERT_GE(found["seconds"].get<double>(), 0);
    total.inserted += expected.inserted;
    total.overwritten += expected.overwritten;
    total.erased += expected.erased;
    total.edges = expected.edges;
    total.triangles = expected.triangles;
    updates += found["updates"].get<std::uint64_t>();
    ignored += found["ignored"].get<std::uint64_t>();
  }
  const auto summary = json::parse(lines.back());
  EXPECT_EQ(summary["summary"], true);
  EXPECT_EQ(summary["batches"], batches.size());
  EXPECT_EQ(summary["updates"], updates);
  EXPECT_EQ(summary["inserted"], total.inserted);
  EXPECT_EQ(summary["overwritten"], total.overwritten);
  EXPECT_EQ(summary["erased"], total.erased);
  EXPECT_EQ(summary["ignored"], ignored);
  EXPECT_EQ(summary["edges"], total.edges);
  EXPECT_EQ(summary["triangles"], total.triangles);
  EXPECT_EQ(summary["backend"], MANGROVE_TEST_BACKEND);
}

class stream_command : public testing::Test {
 protected:
  static void SetUpTestSuite() { testing::Test::RecordProperty("seeds", "1 to 4"); }

  /// The edges of a graph file that streams start from, with ids among the updates' and beyond.
  const std::set<stream_oracle::edge> start_ = {{1, 2}, {2, 3}, {1, 3}, {3, 4}, {4, 29}, {5, 40}};
  static constexpr const char* start_text =
      "%%MatrixMarket matrix coordinate pattern symmetric\n40 40 6\n2 1\n3 2\n3 1\n4 3\n29 4\n40 5\n";

  temporary_folder folder_;
};

TEST_F(stream_command, signed_lists) {
  for (const std::uint64_t seed : {1, 2}) {
    const auto list = random_updates(seed, 1500);
    const auto updates = folder_.file("updates.txt", signed_text(list));
    for (const std::size_t batch : {1000, 97, 7}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", batch " << batch);
      expect_stream({updates, "--batch", std::to_string(batch)}, stream_oracle(), by_count(list, batch));
    }
  }
}

TEST_F(stream_command, signed_lists_on_a_graph) {
  const auto graph = folder_.file("graph.mtx", start_text);
  const auto list = random_updates(3, 1000);
  const auto updates = folder_.file("updates.txt", signed_text(list));
  expect_stream({graph, updates, "--batch", "64"}, stream_oracle(start_), by_count(list, 64));
  expect_stream({graph, updates, "--batch", "64", "--ids", "sparse", "--adjacency", "hash"}, stream_oracle(start_),
                by_count(list, 64));
}

TEST_F(stream_command, timed_lists_by_count_and_by_time) {
  auto list = random_updates(4, 1200);
  for (auto& update : list) update.what = listed_update::kind::insert;
  const auto updates = folder_.file("updates.txt", timed_text(list));
  expect_stream({updates, "--batch", "50"}, stream_oracle(), by_count(list, 50));
  expect_stream({updates, "--batch-time", "13"}, stream_oracle(), by_time(list, 13));
}

TEST_F(stream_command, windows) {
  auto list = random_updates(5, 1200);
  for (auto& update : list) update.what = listed_update::kind::insert;
  const auto updates = folder_.file("updates.txt", timed_text(list));
  for (const std::int64_t window : {1, 40, 150, 100000}) {
    SCOPED_TRACE(testing::Message() << "window " << window);
    expect_stream({updates, "--batch", "80", "--window", std::to_string(window)}, stream_oracle({}, window),
                  by_count(list, 80));
    expect_stream({updates, "--batch-time", "25", "--window", std::to_string(window)}, stream_oracle({}, window),
                  by_time(list, 25));
  }
}

TEST_F(stream_command, standard_input) {
  const auto list = random_updates(6, 300);
  expect_stream({"--batch", "32", "-"}, stream_oracle(), by_count(list, 32), signed_text(list));
}

TEST_F(stream_command, ids_up_to_the_type_s_maximum) {
  auto list = random_updates(7, 400);
  for (auto& update : list) {
    update.source = ~std::uint64_t{0} - update.source * 1000000007;
    update.target = ~std::uint64_t{0} - update.target * 1000000007;
  }
  const auto updates = folder_.file("updates.txt", signed_text(list));
  expect_stream({updates, "--batch", "100"}, stream_oracle(), by_count(list, 100));
}

}  // namespace mangrove::app::test
