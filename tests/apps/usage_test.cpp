#include <gtest/gtest.h>

#include "program.hpp"

namespace mangrove::app::test {
namespace {

const std::vector<std::vector<std::string>> commands = {{"info"},
                                                        {"convert"},
                                                        {"triangles"},
                                                        {"stream"},
                                                        {"generate"},
                                                        {"generate", "rmat"},
                                                        {"generate", "rgg"},
                                                        {"generate", "road"},
                                                        {"generate", "mesh"},
                                                        {"generate", "stream"}};

TEST(usage, help_lists_all_commands) {
  for (const char* word : {"--help", "-h", "help"}) {
    const auto result = run({word});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.err, "");
    for (const char* command : {"info", "generate", "convert", "triangles", "stream"}) {
      EXPECT_NE(result.out.find(command), std::string::npos) << command;
    }
  }
}

TEST(usage, every_command_has_help_with_an_example) {
  for (auto command : commands) {
    std::string name = "mangrove";
    for (const auto& word : command) name += " " + word;
    command.push_back("--help");
    const auto result = run(command);
    EXPECT_EQ(result.exit_code, 0) << name;
    EXPECT_EQ(result.err, "") << name;
    const auto example = result.out.find("Examples:");
    ASSERT_NE(example, std::string::npos) << name;
    EXPECT_NE(result.out.find(name + " ", example), std::string::npos) << result.out;
    for (const auto& line : lines_of(result.out)) EXPECT_LE(line.size(), 120U) << line;
  }
}

TEST(usage, every_command_takes_the_common_options) {
  for (auto command : commands) {
    if (command == std::vector<std::string>{"generate"}) continue;
    command.push_back("--help");
    const auto result = run(command);
    for (const char* option : {"--backend", "--threads", "--json", "--quiet"}) {
      EXPECT_NE(result.out.find(option), std::string::npos) << command[0] << " " << option;
    }
  }
}

TEST(usage, version) {
  const auto result = run({"--version"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out.rfind("mangrove ", 0), 0U) << result.out;
  EXPECT_EQ(lines_of(result.out).size(), 1U);
}

class wrong_usage : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(wrong_usage, ends_with_2_and_points_at_the_help) {
  const auto result = run(GetParam());
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_EQ(result.out, "");
  const auto lines = lines_of(result.err);
  ASSERT_EQ(lines.size(), 2U) << result.err;
  EXPECT_EQ(lines[0].rfind("mangrove: ", 0), 0U) << result.err;
  EXPECT_EQ(lines[1].rfind("Try 'mangrove", 0), 0U) << result.err;
}

using words = std::vector<std::string>;
INSTANTIATE_TEST_SUITE_P(
    all, wrong_usage,
    testing::Values(words{}, words{"frobnicate"}, words{"info"}, words{"info", "a.mtx", "b.mtx"},
                    words{"info", "--bogus", "a.mtx"}, words{"info", "a.mtx", "--backend", "gpu"},
                    words{"info", "a.mtx", "--threads", "-1"}, words{"info", "a.mtx", "--threads", "many"},
                    words{"info", "a.mtx", "--adjacency", "list"}, words{"info", "a.mtx", "--ids", "few"},
                    words{"info", "a.mtx", "--direction", "up"}, words{"convert", "a.mtx"},
                    words{"convert", "a.mtx", "b.mtx", "--to", "csv"}, words{"convert", "a.mtx", "-", "--json"},
                    words{"triangles"}, words{"triangles", "a.mtx", "--json", "--per-vertex", "-"}, words{"stream"},
                    words{"stream", "a", "b", "c"}, words{"stream", "-", "-"}, words{"stream", "a", "--batch", "0"},
                    words{"stream", "a", "--batch", "5", "--batch-time", "5"}, words{"stream", "a", "--window", "0"},
                    words{"generate"}, words{"generate", "frob"}, words{"generate", "rmat", "--scale", "32"},
                    words{"generate", "rmat", "-a", "1.5"}, words{"generate", "rmat", "--json"},
                    words{"generate", "rmat", "graph.mtx"}, words{"generate", "rgg", "--radius", "2"},
                    words{"generate", "road", "--degree", "9"}, words{"generate", "mesh", "--scale", "0"},
                    words{"generate", "stream"}, words{"generate", "stream", "--vertices", "5", "--graph", "a.mtx"},
                    words{"generate", "stream", "--vertices", "5", "--erases", "2"}));

TEST(usage, times_and_windows_need_a_timed_list) {
  const temporary_folder folder;
  const auto updates = folder.file("updates.txt", "+ 1 2\n");
  for (const char* option : {"--batch-time", "--window"}) {
    const auto result = run({"stream", updates, option, "5"});
    EXPECT_EQ(result.exit_code, 2) << option;
    EXPECT_NE(result.err.find(updates), std::string::npos) << result.err;
  }
}

}  // namespace
}  // namespace mangrove::app::test
