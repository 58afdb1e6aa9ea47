#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "program.hpp"

namespace mangrove::app::test {
namespace {

using nlohmann::json;

// Two triangles that share the edge (2, 3), a path to 5, and 6 alone; a self loop and two repeats.
constexpr const char* matrix = R"(%%MatrixMarket matrix coordinate pattern symmetric
6 6 9
2 1
3 1
3 2
4 2
4 3
5 4
5 5
3 1
2 1
)";

class graph_commands : public testing::Test {
 protected:
  temporary_folder folder_;
  std::string graph_ = folder_.file("graph.mtx", matrix);
};

json json_of(const outcome& result) {
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(lines_of(result.out).size(), 1U) << result.out;
  return json::parse(result.out);
}

TEST_F(graph_commands, info_counts_what_it_keeps_and_what_it_drops) {
  const auto info = json_of(run({"info", "--json", graph_}));
  EXPECT_EQ(info["vertices"], 6);
  EXPECT_EQ(info["edges"], 6);
  EXPECT_EQ(info["self_loops"], 1);
  EXPECT_EQ(info["repeats"], 2);
  EXPECT_EQ(info["directed"], false);
  EXPECT_EQ(info["degree"]["largest"], 3);
  const json bins = {{{"from", 0}, {"to", 0}, {"vertices", 1}},
                     {{"from", 1}, {"to", 1}, {"vertices", 1}},
                     {{"from", 2}, {"to", 3}, {"vertices", 4}}};
  EXPECT_EQ(info["degrees"], bins);
  EXPECT_EQ(info["memory"]["csr"], 8 * 7 + 4 * 12);
  std::uint64_t edges = 0;
  for (const auto& kind : info["representations"]) edges += kind["edges"].get<std::uint64_t>();
  EXPECT_EQ(edges, 12U);
}

TEST_F(graph_commands, info_draws_a_histogram) {
  const auto result = run({"info", graph_});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.out.find("2 - 3"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("####"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("1 self loops and 2 repeats dropped"), std::string::npos) << result.out;
}

TEST_F(graph_commands, info_keeps_directions_that_the_file_has) {
  const auto directed =
      folder_.file("directed.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n");
  EXPECT_EQ(json_of(run({"info", "--json", directed}))["edges"], 2);
  EXPECT_EQ(json_of(run({"info", "--json", "--direction", "undirected", directed}))["edges"], 1);
}

TEST_F(graph_commands, triangles_prints_what_scripts_need) {
  const auto found = json_of(run({"triangles", "--json", "--backend", "cpu", "--threads", "1", graph_}));
  EXPECT_EQ(found["vertices"], 6);
  EXPECT_EQ(found["edges"], 6);
  EXPECT_EQ(found["triangles"], 2);
  EXPECT_EQ(found["backend"], "cpu");
  EXPECT_TRUE(found["device"].is_string());
  EXPECT_EQ(found["adjacency"], "by_degree");
  for (const char* phase : {"read", "build", "count"}) EXPECT_GE(found["seconds"][phase].get<double>(), 0) << phase;
}

TEST_F(graph_commands, triangles_by_vertex) {
  const auto table = folder_.file("table.txt");
  const auto found = json_of(run({"triangles", "--json", "--per-vertex", table, graph_}));
  EXPECT_EQ(content_of(table), "1 1 1.000000\n2 2 0.666667\n3 2 0.666667\n4 1 0.333333\n5 0 0.000000\n6 0 0.000000\n");
  EXPECT_DOUBLE_EQ(found["transitivity"].get<double>(), 6.0 / 10);
  EXPECT_DOUBLE_EQ(found["average_clustering"].get<double>(), (1 + 2.0 / 3 + 2.0 / 3 + 1.0 / 3) / 6);
  const auto printed = run({"triangles", "--quiet", "--per-vertex", "-", graph_});
  EXPECT_EQ(printed.out, content_of(table));
}

TEST_F(graph_commands, sparse_ids_are_listed_as_they_are) {
  const auto graph = folder_.file("big.txt", "18446744073709551615 0\n0 7\n7 18446744073709551615\n");
  const auto result = run({"triangles", "--quiet", "--per-vertex", "-", graph});
  EXPECT_EQ(result.out, "0 1 1.000000\n7 1 1.000000\n18446744073709551615 1 1.000000\n");
}

TEST_F(graph_commands, every_choice_of_adjacency_and_ids_counts_the_same) {
  const auto graph = folder_.file("rmat.txt");
  ASSERT_EQ(run({"generate", "rmat", "--scale", "9", "-o", graph}).exit_code, 0);
  const auto expected = json_of(run({"triangles", "--json", graph}))["triangles"];
  EXPECT_GT(expected.get<std::uint64_t>(), 1000U);
  for (const char* adjacency : {"by_degree", "hash", "tree"}) {
    for (const char* ids : {"dense", "sparse"}) {
      const auto found = json_of(run({"triangles", "--json", "--adjacency", adjacency, "--ids", ids, graph}));
      EXPECT_EQ(found["triangles"], expected);
      EXPECT_EQ(found["adjacency"], adjacency);
      EXPECT_EQ(json_of(run({"info", "--json", "--ids", ids, graph}))["ids"], ids);
    }
  }
}

TEST_F(graph_commands, convert_keeps_the_graph) {
  std::string last = graph_;
  const auto before = json_of(run({"info", "--json", graph_}));
  for (const char* name : {"a.mgb", "b.mtx.gz", "c.el", "d.txt.gz", "e.tsv", "f.mtx"}) {
    const auto next = folder_.file(name);
    const auto report = json_of(run({"convert", "--json", last, next}));
    EXPECT_EQ(report["edges"], 9) << name;
    const auto after = json_of(run({"info", "--json", next}));
    for (const char* member : {"edges", "self_loops", "repeats"}) EXPECT_EQ(after[member], before[member]) << name;
    last = next;
  }
}

TEST_F(graph_commands, convert_makes_ids_compact) {
  const auto graph = folder_.file("big.txt", "1000000000000 7\n7 3000000000000\n");
  const auto result = run({"convert", "--ids", "compact", "--to", "el", graph, "-"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "2 1\n1 3\n");
}

TEST_F(graph_commands, read_standard_input_and_write_standard_output) {
  const auto piped = run({"convert", "--quiet", "--to", "el", "-", "-"}, {matrix});
  EXPECT_EQ(piped.exit_code, 0) << piped.err;
  EXPECT_EQ(piped.err, "");
  EXPECT_EQ(json_of(run({"triangles", "--json", "-"}, {piped.out}))["triangles"], 2);
}

TEST_F(graph_commands, quiet_and_pipes_mean_no_chatter) {
  EXPECT_EQ(run({"info", "--quiet", graph_}).err, "");
  EXPECT_EQ(run({"triangles", graph_}).err, "") << "standard error is no terminal here";
  EXPECT_NE(run({"convert", graph_, folder_.file("a.mgb")}).err, "");
  EXPECT_EQ(run({"convert", "--quiet", graph_, folder_.file("a.mgb")}).err, "");
}

TEST_F(graph_commands, an_empty_graph_is_a_graph) {
  const auto graph = folder_.file("empty.txt", "# nothing\n");
  EXPECT_EQ(json_of(run({"info", "--json", graph}))["vertices"], 0);
  EXPECT_EQ(run({"info", graph}).exit_code, 0);
  EXPECT_EQ(json_of(run({"triangles", "--json", "--clustering", graph}))["triangles"], 0);
}

}  // namespace
}  // namespace mangrove::app::test
