#include <gtest/gtest.h>

#include "program.hpp"

namespace mangrove::app::test {
namespace {

using words = std::vector<std::string>;
using output = surroundings::output;

class bad_input : public testing::Test {
 protected:
  /// The run ends with 1, says nothing on standard output, and one line with `message` on standard error.
  static void expect_error(const outcome& result, const std::string& message) {
    EXPECT_EQ(result.exit_code, 1) << result.err;
    EXPECT_EQ(result.out, "");
    const auto lines = lines_of(result.err);
    ASSERT_EQ(lines.size(), 1U) << result.err;
    EXPECT_EQ(lines[0].rfind("mangrove: " + message, 0), 0U) << result.err << "expected: mangrove: " << message;
  }

  temporary_folder folder_;
};

constexpr const char* banner = "%%MatrixMarket matrix coordinate pattern symmetric\n";

TEST_F(bad_input, missing_files) {
  const auto missing = folder_.file("missing.mtx");
  for (const words& command : {words{"info", missing}, words{"triangles", missing}, words{"stream", missing},
                               words{"stream", missing, missing}, words{"convert", missing, folder_.file("a.mgb")},
                               words{"generate", "stream", "--graph", missing}}) {
    expect_error(run(command), missing + ": ");
  }
  EXPECT_EQ(folder_.names(), words{});
}

TEST_F(bad_input, unknown_extensions) {
  const auto graph = folder_.file("graph.csv", "1,2\n");
  expect_error(run({"info", graph}), graph + ": ");
  expect_error(run({"generate", "mesh", "--scale", "4", "--quiet", "-o", folder_.file("x.png")}),
               folder_.file("x.png"));
  EXPECT_EQ(folder_.names(), words{"graph.csv"});
}

TEST_F(bad_input, malformed_lines_are_named) {
  const auto graph = folder_.file("graph.txt", "1 2\n2 x\n");
  expect_error(run({"triangles", graph}), graph + ":2: ");
  const auto updates = folder_.file("updates.txt", "# comment\n+ 1 2\n+ 2 3\n* 3 4\n");
  expect_error(run({"stream", "--json", updates}), updates + ":4: ");
}

TEST_F(bad_input, ids_that_overflow) {
  const auto graph = folder_.file("graph.txt", "1 2\n2 3\n3 18446744073709551616\n");
  expect_error(run({"triangles", graph}), graph + ":3: ");
}

TEST_F(bad_input, counts_that_do_not_match_the_header) {
  for (const char* entries : {"3 3 3\n2 1\n3 1\n", "3 3 1\n2 1\n3 1\n"}) {
    const auto graph = folder_.file("graph.mtx", std::string(banner) + entries);
    expect_error(run({"triangles", graph}), graph);
  }
}

TEST_F(bad_input, rows_out_of_range) {
  const auto graph = folder_.file("graph.mtx", std::string(banner) + "3 3 2\n2 1\n4 1\n");
  expect_error(run({"triangles", graph}), graph + ":4: ");
}

TEST_F(bad_input, more_rows_than_a_graph_can_hold) {
  const auto graph = folder_.file("graph.mtx", std::string(banner) + "5000000000 5000000000 1\n2 1\n");
  expect_error(run({"triangles", graph}), graph + ": has 5000000000 vertices");
  expect_error(run({"stream", graph, graph}), graph + ":");
}

TEST_F(bad_input, truncated_gzip) {
  const auto whole = folder_.file("graph.mtx.gz");
  ASSERT_EQ(run({"generate", "mesh", "--scale", "10", "--quiet", "-o", whole}).exit_code, 0);
  const auto content = content_of(whole);
  const auto cut = folder_.file("cut.mtx.gz", content.substr(0, content.size() / 2));
  expect_error(run({"triangles", cut}), cut);
}

TEST_F(bad_input, cuda_without_a_gpu) {
  const auto graph = folder_.file("graph.txt", "1 2\n");
  const auto result = run({"triangles", "--json", graph, "--backend", "cuda"});
  if (result.exit_code == 0) GTEST_SKIP() << "there is a GPU";
  expect_error(result, "--backend cuda: ");
  EXPECT_NE(result.err.find("--backend cpu"), std::string::npos) << result.err;
}

TEST_F(bad_input, full_disks_leave_nothing_behind) {
  surroundings full_disk;
  full_disk.largest_file = 4096;
  const auto graph = folder_.file("graph.txt", "1 2\n");
  for (const char* name : {"out.mtx", "out.mgb", "out.txt", "out.mtx.gz"}) {
    const auto path = folder_.file(name);
    expect_error(run({"generate", "rmat", "--scale", "11", "--quiet", "-o", path}, full_disk), path + ": ");
    EXPECT_EQ(folder_.names(), words{"graph.txt"});
  }
  const auto path = folder_.file("updates.txt");
  expect_error(run({"generate", "stream", "--vertices", "100", "--quiet", "-o", path}, full_disk), path + ": ");
  EXPECT_EQ(folder_.names(), words{"graph.txt"});
}

TEST_F(bad_input, full_disks_keep_what_was_there) {
  const auto path = folder_.file("out.mtx", "precious");
  surroundings full_disk;
  full_disk.largest_file = 4096;
  expect_error(run({"generate", "rmat", "--scale", "11", "--quiet", "-o", path}, full_disk), path + ": ");
  EXPECT_EQ(content_of(path), "precious");

  const auto graph = folder_.file("graph.mgb");
  ASSERT_EQ(run({"generate", "mesh", "--scale", "10", "--quiet", "-o", graph}).exit_code, 0);
  expect_error(run({"triangles", graph, "--per-vertex", path}, full_disk), path + ": ");
  EXPECT_EQ(content_of(path), "precious");
  EXPECT_EQ(folder_.names(), (words{"graph.mgb", "out.mtx"}));
}

TEST_F(bad_input, full_devices) {
  const auto graph = folder_.file("graph.txt", "1 2\n2 3\n");
  expect_error(run({"convert", "--to", "mtx", graph, "/dev/full"}), "/dev/full: ");
  expect_error(run({"triangles", graph, "--per-vertex", "/dev/full"}), "/dev/full: ");
}

TEST_F(bad_input, folders_that_are_not_there) {
  const auto graph = folder_.file("graph.txt", "1 2\n");
  const auto path = folder_.file("no/such/folder.mtx");
  expect_error(run({"convert", graph, path}), path + ": ");
  expect_error(run({"triangles", graph, "--per-vertex", path}), path + ": ");
}

TEST_F(bad_input, standard_output_that_takes_nothing) {
  const auto graph = folder_.file("graph.txt", "1 2\n");
  const auto updates = folder_.file("updates.txt", "+ 1 2\n+ 2 3\n");
  for (const auto kind : {output::closed_pipe, output::full}) {
    surroundings around;
    around.standard_output = kind;
    for (const words& command :
         {words{"--help"}, words{"info", graph}, words{"triangles", "--json", graph}, words{"info", "--help"},
          words{"stream", "--json", "--batch", "1", updates}, words{"stream", updates}}) {
      expect_error(run(command, around), "standard output: ");
    }
    expect_error(run({"convert", "--quiet", graph, "-"}, around), "-: ");
  }
}

}  // namespace
}  // namespace mangrove::app::test
