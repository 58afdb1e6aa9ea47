#include "stream_command_suite.hpp"

namespace mangrove::app::test {
namespace {

using nlohmann::json;

TEST_F(stream_command, vertices_come_and_go) {
  const auto updates = folder_.file("updates.txt", "+ 1 2\n+ 2 3\n+ 1 3\n+v 9\n-v 2\n");
  const auto result = run({"stream", "--json", "--batch", "4", "--verify", updates});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto lines = lines_of(result.out);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(json::parse(lines[0])["vertices"], 4);
  EXPECT_EQ(json::parse(lines[0])["triangles"], 1);
  EXPECT_EQ(json::parse(lines[1])["vertices"], 3);
  EXPECT_EQ(json::parse(lines[1])["edges"], 1);
  EXPECT_EQ(json::parse(lines[1])["triangles"], 0);
}

TEST_F(stream_command, the_batch_suits_the_file) {
  const auto short_list = folder_.file("short.txt");
  const auto long_list = folder_.file("long.txt.gz");
  ASSERT_EQ(run({"generate", "stream", "--vertices", "500", "--updates", "3000", "-o", short_list}).exit_code, 0);
  ASSERT_EQ(run({"generate", "stream", "--vertices", "50000", "--updates", "1000000", "-o", long_list}).exit_code, 0);
  const auto batches = [](const std::string& path) {
    return json::parse(lines_of(run({"stream", "--json", path}).out).back())["batches"].get<int>();
  };
  EXPECT_EQ(batches(short_list), 3);
  EXPECT_GT(batches(long_list), 40);
  EXPECT_LT(batches(long_list), 300);
}

TEST_F(stream_command, text_ends_with_a_table_and_totals) {
  const auto graph = folder_.file("graph.mtx", start_text);
  const auto updates = folder_.file("updates.txt", signed_text(random_updates(1, 3000)));
  const auto result = run({"stream", "--batch", "10", "--verify", graph, updates});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "") << "no progress where standard error is no terminal";
  for (const char* word :
       {"batch ", "overwritten", "300 ", "\nall ", "3,000 in 300 batches", "verified", "updates/s"}) {
    EXPECT_NE(result.out.find(word), std::string::npos) << word << "\n" << result.out;
  }
  EXPECT_LT(lines_of(result.out).size(), 45U);
}

TEST_F(stream_command, an_empty_list_leaves_the_graph) {
  const auto graph = folder_.file("graph.mtx", start_text);
  const auto updates = folder_.file("updates.txt", "# nothing\n");
  const auto result = run({"stream", "--json", graph, updates});
  const auto summary = json::parse(result.out);
  EXPECT_EQ(summary["batches"], 0);
  EXPECT_EQ(summary["edges"], 6);
  EXPECT_EQ(summary["triangles"], 1);
  EXPECT_EQ(run({"stream", graph, updates}).exit_code, 0);
}

TEST_F(stream_command, ids_beyond_a_dense_table_ask_for_a_sparse_one) {
  const auto graph = folder_.file("graph.mtx", start_text);
  const auto updates = folder_.file("updates.txt", "+ 1 18446744073709551615\n");
  const auto result = run({"stream", graph, updates});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.err.rfind("mangrove: " + updates + ": ", 0), 0U) << result.err;
  EXPECT_NE(result.err.find("--ids sparse"), std::string::npos) << result.err;
  EXPECT_EQ(run({"stream", "--ids", "sparse", graph, updates}).exit_code, 0);
}

TEST_F(stream_command, an_error_in_the_list_comes_after_the_batches_before_it) {
  std::string text = "+ 1 2\n+ 2 3\n+ 3 1\n+ 4\n";
  const auto updates = folder_.file("updates.txt", text);
  const auto result = run({"stream", "--json", "--batch", "1", updates});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.err.rfind("mangrove: " + updates + ":4: ", 0), 0U) << result.err;
  EXPECT_EQ(result.out.find("summary"), std::string::npos);
}

}  // namespace
}  // namespace mangrove::app::test
