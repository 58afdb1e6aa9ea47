#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>

#include "counter_support.hpp"
#include "mangrove/io/graph_file.hpp"
#include "support/sanitizers.hpp"

/// @file
/// Real graphs with known counts, typed by backend: counted at once, and while they stream in and out again. The folder
/// is named by the environment variable MANGROVE_DATA.

namespace mangrove::test {

struct real_graph {
  const char* file;
  std::uint64_t edges;
  std::uint64_t triangles;
};

inline constexpr real_graph real_graphs[] = {
    {"web-indochina-2004.txt.gz", 47606, 210078}, {"CollegeMsg.txt.gz", 13838, 14319},
    {"facebook_combined.txt.gz", 88234, 1612010}, {"email-Enron.txt.gz", 183831, 727044},
    {"ca-AstroPh.txt.gz", 196972, 1350014},       {"mathoverflow.txt.gz", 187985, 1403919},
};
/// Those to test with.
inline constexpr std::span<const real_graph> chosen_graphs{real_graphs,
                                                           sanitized ? std::size_t{2} : std::size(real_graphs)};

template <class B>
class real_graph_test : public testing::Test {
 protected:
  resources<B> res{};

  /// Calls `f(graph, edges)` for each graph that is there.
  template <class F>
  void for_each_graph(F f) {
    const char* const folder = std::getenv("MANGROVE_DATA");
    if (folder == nullptr) GTEST_SKIP() << "MANGROVE_DATA does not name the folder of the real graphs";
    int found = 0;
    for (const real_graph& graph : chosen_graphs) {
      const auto path = std::filesystem::path(folder) / graph.file;
      if (!std::filesystem::exists(path)) continue;
      SCOPED_TRACE(graph.file);
      ++found;
      io::read_options options;
      options.weights = io::edge_weights::drop;  // the third column of a timed list
      f(graph, io::read_graph(path.string(), options));
    }
    if (found == 0) GTEST_SKIP() << "no real graph in the folder " << folder;
  }
};

/// Applies a batch for each of `parts` stretches of the edges in random order.
template <class Resources, class Counter>
void stream(const Resources& res, Counter& counter, edge_list edges, update_kind kind, std::size_t parts,
            std::mt19937_64& random) {
  std::vector<std::size_t> order(edges.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), random);
  for (std::size_t part = 0; part < parts; ++part) {
    update_batch batch;
    for (std::size_t i = order.size() * part / parts; i < order.size() * (part + 1) / parts; ++i) {
      batch.push_back(kind, edges.sources[order[i]], edges.targets[order[i]]);
    }
    counter.update(res, batch);
  }
}

TYPED_TEST_SUITE_P(real_graph_test);

TYPED_TEST_P(real_graph_test, CountedAtOnce) {
  this->for_each_graph([&](const real_graph& known, const edge_list& edges) {
    dynamic_graph<TypeParam> graph(this->res);
    graph.insert(this->res, edges);
    EXPECT_EQ(graph.edge_count(), known.edges);
    EXPECT_EQ(triangle_count(this->res, graph), known.triangles);
    const auto counts = triangle_counts(this->res, graph);
    const auto host = to_host(this->res, counts.data(), counts.size());
    std::uint64_t sum = 0;
    for (const std::uint64_t count : host) sum += count;
    EXPECT_EQ(sum, 3 * known.triangles);
  });
}

TYPED_TEST_P(real_graph_test, StreamedInAndOut) {
  std::mt19937_64 random(31);
  this->for_each_graph([&](const real_graph& known, const edge_list& edges) {
    dynamic_graph<TypeParam> graph(this->res);
    triangle_counter counter(this->res, graph);
    stream(this->res, counter, edges, update_kind::insert, 40, random);
    EXPECT_EQ(counter.value(), known.triangles);
    stream(this->res, counter, edges, update_kind::erase, 25, random);
    EXPECT_EQ(counter.value(), 0U);
    EXPECT_EQ(graph.edge_count(), 0U);
  });
}

REGISTER_TYPED_TEST_SUITE_P(real_graph_test, CountedAtOnce, StreamedInAndOut);

}  // namespace mangrove::test
