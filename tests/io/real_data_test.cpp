#include <algorithm>
#include <cstdlib>

#include "mangrove/io/read_ahead.hpp"
#include "mangrove/io/update_reader.hpp"
#include "support.hpp"

namespace mangrove::io::test {
namespace {

/// A public graph and what its simple undirected graph is known to have.
struct known_graph {
  const char* file;
  std::size_t vertices;
  std::size_t edges;
  bool timed;
};

class real_data : public ::testing::TestWithParam<known_graph> {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("MANGROVE_DATA");
    if (folder == nullptr) GTEST_SKIP() << "MANGROVE_DATA names no folder with the public graphs";
    path_ = (std::filesystem::path(folder) / GetParam().file).string();
    if (!std::filesystem::exists(path_)) GTEST_SKIP() << path_ << " is not there";
  }

  std::string path_;
};

using edges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

void add_simple(edges& out, const std::vector<std::uint64_t>& sources, const std::vector<std::uint64_t>& targets) {
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i] != targets[i]) out.push_back(std::minmax(sources[i], targets[i]));
  }
}

void expect_known(edges simple, const known_graph& known) {
  std::sort(simple.begin(), simple.end());
  simple.erase(std::unique(simple.begin(), simple.end()), simple.end());
  std::vector<std::uint64_t> ends;
  for (const auto& [u, v] : simple) ends.insert(ends.end(), {u, v});
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  EXPECT_EQ(simple.size(), known.edges);
  EXPECT_EQ(ends.size(), known.vertices);
}

TEST_P(real_data, graph_is_the_known_one_also_by_way_of_matrix_market) {
  const edge_list graph = read_graph(path_);
  EXPECT_EQ(graph.weighted(), GetParam().timed);
  edges simple;
  add_simple(simple, graph.sources, graph.targets);
  expect_known(simple, GetParam());

  const temporary_folder folder;
  write_options options;
  options.vertex_ids = ids::compact;
  write_graph(folder.file("g.mtx.gz"), graph, options);
  const edge_list again = read_graph(folder.file("g.mtx.gz"));
  simple.clear();
  add_simple(simple, again.sources, again.targets);
  expect_known(simple, GetParam());
}

class timed_real_data : public real_data {};

TEST_P(timed_real_data, stream_is_the_known_graph) {
  update_reader reader(path_, batch_by_time{86400});
  EXPECT_EQ(reader.kind(), stream_kind::timed_edges);
  read_ahead ahead([&](stream_batch& batch) { return reader.next(batch); });
  stream_batch batch;
  edges simple;
  std::uint64_t updates = 0;
  while (ahead.next(batch)) {
    add_simple(simple, batch.updates.sources, batch.updates.targets);
    updates += batch.updates.size();
    EXPECT_EQ(batch.updates_so_far, updates);
  }
  EXPECT_EQ(batch.bytes_read, 0u);
  expect_known(simple, GetParam());
}

std::string name_of(const ::testing::TestParamInfo<known_graph>& info) {
  std::string name = info.param.file;
  name.resize(name.find('.'));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

constexpr known_graph college_messages{"CollegeMsg.txt.gz", 1899, 13838, true};
constexpr known_graph mathoverflow{"mathoverflow.txt.gz", 24759, 187985, true};

INSTANTIATE_TEST_SUITE_P(public_graphs, real_data,
                         ::testing::Values(known_graph{"facebook_combined.txt.gz", 4039, 88234, false},
                                           known_graph{"email-Enron.txt.gz", 36692, 183831, false},
                                           known_graph{"ca-AstroPh.txt.gz", 17903, 196972, false},
                                           known_graph{"web-indochina-2004.txt.gz", 11358, 47606, false},
                                           college_messages, mathoverflow),
                         name_of);
INSTANTIATE_TEST_SUITE_P(public_graphs, timed_real_data, ::testing::Values(college_messages, mathoverflow), name_of);

}  // namespace
}  // namespace mangrove::io::test
