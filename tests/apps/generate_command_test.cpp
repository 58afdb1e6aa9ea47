#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "program.hpp"

namespace mangrove::app::test {
namespace {

using nlohmann::json;

class generate_command : public testing::TestWithParam<const char*> {};

TEST_P(generate_command, writes_the_same_on_any_number_of_threads) {
  const std::vector<std::string> words = {"generate", GetParam(), "--scale", "12", "--seed", "5", "--to", "mtx"};
  auto one = words;
  one.insert(one.end(), {"--threads", "1"});
  auto two = words;
  two.insert(two.end(), {"--threads", "2"});
  const auto first = run(one);
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(first.out.rfind("%%MatrixMarket matrix coordinate pattern symmetric\n4096 4096 ", 0), 0U);
  EXPECT_TRUE(first.out == run(two).out);
}

TEST_P(generate_command, reports_in_json) {
  const temporary_folder folder;
  const auto graph = folder.file("graph.mgb");
  const auto result = run({"generate", GetParam(), "--scale", "8", "--json", "--quiet", "-o", graph});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto report = json::parse(result.out);
  EXPECT_EQ(report["kind"], GetParam());
  const auto info = json::parse(run({"info", "--json", graph}).out);
  EXPECT_EQ(info["vertices"], 256);
  EXPECT_EQ(info["edges"], report["edges"]);
  EXPECT_EQ(info["self_loops"], 0);
  EXPECT_EQ(info["repeats"], 0);
}

INSTANTIATE_TEST_SUITE_P(kinds, generate_command, testing::Values("rmat", "rgg", "road", "mesh"));

TEST(generate_rmat_command, raw_keeps_loops_and_repeats) {
  const temporary_folder folder;
  const auto graph = folder.file("graph.mgb");
  ASSERT_EQ(run({"generate", "rmat", "--scale", "8", "--raw", "-o", graph}).exit_code, 0);
  const auto info = json::parse(run({"info", "--json", graph}).out);
  EXPECT_EQ(info["edges"].get<int>() + info["self_loops"].get<int>() + info["repeats"].get<int>(), 16 * 256);
  EXPECT_GT(info["repeats"], 0);
}

TEST(generate_stream_command, writes_the_same_on_any_number_of_threads) {
  const temporary_folder folder;
  const auto graph = folder.file("graph.mtx");
  ASSERT_EQ(run({"generate", "rmat", "--scale", "10", "-o", graph}).exit_code, 0);
  const std::vector<std::string> words = {"generate", "stream", "--graph", graph, "--updates", "20000", "--threads"};
  auto one = words, two = words;
  one.push_back("1");
  two.push_back("2");
  const auto first = run(one);
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(lines_of(first.out).size(), 20000U);
  EXPECT_TRUE(first.out == run(two).out);
}

}  // namespace
}  // namespace mangrove::app::test
