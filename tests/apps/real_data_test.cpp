#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace mangrove::app::test {
namespace {

using nlohmann::json;

/// A public graph and what is known about it, as a simple undirected graph.
struct known_graph {
  const char* file;
  std::uint64_t edges, triangles;
};

constexpr known_graph timed_graphs[] = {
    {"CollegeMsg.txt.gz", 13838, 14319},
    {"mathoverflow.txt.gz", 187985, 1403919},
};

constexpr known_graph other_graphs[] = {
    {"facebook_combined.txt.gz", 88234, 1612010},
    {"email-Enron.txt.gz", 183831, 727044},
    {"ca-AstroPh.txt.gz", 196972, 1350014},
    {"web-indochina-2004.txt.gz", 47606, 210078},
};

/// The file's name as far as a test's name may have it.
std::string name_of(const testing::TestParamInfo<known_graph>& info) {
  std::string name = info.param.file;
  name.resize(name.find('.'));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// Needs the environment variable MANGROVE_DATA, the folder with the files.
class real_data : public testing::TestWithParam<known_graph> {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("MANGROVE_DATA");
    if (folder == nullptr) GTEST_SKIP() << "MANGROVE_DATA is not set";
    path_ = std::filesystem::path(folder) / GetParam().file;
    if (!std::filesystem::exists(path_)) GTEST_SKIP() << path_ << " is not there";
  }

  void expect_known_counts(const json& found) const {
    EXPECT_EQ(found["edges"], GetParam().edges);
    EXPECT_EQ(found["triangles"], GetParam().triangles);
  }

  std::string path_;
};

TEST_P(real_data, has_its_known_counts) {
  const auto result = run({"triangles", "--json", path_});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_known_counts(json::parse(result.out));
}

class timed_real_data : public real_data {};

TEST_P(timed_real_data, has_its_known_counts_after_streaming) {
  for (const std::vector<std::string>& batching :
       {std::vector<std::string>{}, {"--batch", "997"}, {"--batch-time", "864000"}}) {
    std::vector<std::string> words = {"stream", "--json", path_};
    words.insert(words.end(), batching.begin(), batching.end());
    const auto result = run(words);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    expect_known_counts(json::parse(lines_of(result.out).back()));
  }
}

INSTANTIATE_TEST_SUITE_P(timed_graphs, real_data, testing::ValuesIn(timed_graphs), name_of);
INSTANTIATE_TEST_SUITE_P(other_graphs, real_data, testing::ValuesIn(other_graphs), name_of);
INSTANTIATE_TEST_SUITE_P(timed_graphs, timed_real_data, testing::ValuesIn(timed_graphs), name_of);

}  // namespace
}  // namespace mangrove::app::test
