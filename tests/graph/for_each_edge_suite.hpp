#pragma once

#include <string>

#include "mangrove/graph/for_each_edge.hpp"
#include "support/backend.hpp"
#include "support/random.hpp"
#include "support/sanitizers.hpp"
#include "view_reader.hpp"

/// @file
/// Walking all edges, and exporting them, against what was inserted. Needs the backend's `for_each_tile`.

namespace mangrove::test {

/// Body: notes every edge it is called with in the list; there is room for all that should come.
template <class Weight>
struct note_edge {
  std::uint64_t* edges;
  double* weights;
  std::uint32_t* count;
  std::uint32_t room;

  MANGROVE_HOST_DEVICE void note(vertex_index u, vertex_index v, double weight) const {
    const std::uint32_t at = fetch_add(count, 1U);
    if (at >= room) return;
    edges[at] = static_cast<std::uint64_t>(u) << 32 | v;
    weights[at] = weight;
  }
  MANGROVE_HOST_DEVICE void operator()(vertex_index u, vertex_index v) const requires(is_none<Weight>) {
    note(u, v, 0);
  }
  MANGROVE_HOST_DEVICE void operator()(vertex_index u, vertex_index v, Weight weight) const requires(!is_none<Weight>) {
    note(u, v, static_cast<double>(weight));
  }
};

/// Body: notes edges without their weights.
struct note_ends {
  note_edge<none> noted;

  MANGROVE_HOST_DEVICE void operator()(vertex_index u, vertex_index v) const { noted(u, v); }
};

/// Body: adds up by vertex what its chunks hold, with a sum of the tile's lanes.
template <class Weight>
struct sum_chunks {
  std::uint64_t* sums;          ///< of neighbours plus one
  std::uint32_t* whole_chunks;  ///< how often all neighbours of the vertex came at once
  std::uint32_t* parts;         ///< how often only some

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, const edge_chunk<Weight>& chunk) const {
    std::uint64_t mine = 0;
    chunk.for_each(tile, [&](vertex_index v) { mine += v + 1; });
    const std::uint64_t sum = tile.sum(mine);
    if (tile.lane() != 0) return;
    fetch_add(sums + chunk.source(), sum);
    fetch_add((chunk.whole() ? whole_chunks : parts) + chunk.source(), 1U);
  }
};

template <class Types>
class edge_walks : public testing::Test {
 protected:
  using B = typename Types::backend_type;
  using Weight = typename Types::weight;
  using graph_type = typename Types::graph;
  using edge_map = std::map<std::pair<std::uint32_t, std::uint32_t>, double>;
  static constexpr bool weighted = !is_none<Weight>;

  static std::vector<graph_options> all_options() {
    std::vector<graph_options> all;
    for (const auto direction : {edge_direction::undirected, edge_direction::directed}) {
      for (const adjacency_case& adjacency : adjacency_cases) {
        graph_options options;
        options.direction = direction;
        options.adjacency = adjacency.policy;
        options.tree_from = adjacency.tree_from;
        options.loops = direction == edge_direction::directed ? self_loops::keep : self_loops::drop;
        all.push_back(options);
      }
    }
    return all;
  }

  /// Two hubs, vertices of every degree to 120, and strays; some edges are erased again.
  void fill(graph_type& graph, std::uint32_t hub_degree) {
    update_batch batch;
    const auto add = [&](update_kind kind, std::uint64_t u, std::uint64_t v) {
      batch.push_back(kind, u, v);
      if (weighted) batch.weights.push_back(static_cast<double>((u * 7 + v) % 1000));
    };
    for (std::uint64_t v = 1; v <= hub_degree; ++v) add(update_kind::insert, 500, 1000 + v);
    for (std::uint64_t v = 1; v <= hub_degree / 7; ++v) add(update_kind::insert, 501, 30000 + v);
    for (std::uint64_t u = 0; u <= 120; ++u) {
      for (std::uint64_t k = 0; k < u; ++k) add(update_kind::insert, u, random_.below(20000));
    }
    add(update_kind::insert, 900, 900);
    graph.apply(res_, batch);
    batch.clear();
    for (std::uint64_t v = 3; v <= hub_degree; v += 5) add(update_kind::erase, 500, 1000 + v);
    graph.apply(res_, batch);
  }

  edge_map oracle(const graph_type& graph) const {
    const auto list = graph.to_coo(res_);
    const auto sources = to_host(res_, list.sources.data(), list.sources.size());
    const auto targets = to_host(res_, list.targets.data(), list.targets.size());
    const auto weights = to_host(res_, list.weights.data(), list.weights.size());
    edge_map edges;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      double weight = 0;
      if constexpr (weighted) weight = static_cast<double>(weights[i]);
      EXPECT_TRUE(edges.emplace(std::pair(sources[i], targets[i]), weight).second);
    }
    EXPECT_EQ(edges.size(), graph.directed_edge_count());
    return edges;
  }

  template <int Width>
  void expect_edges(const graph_type& graph, const edge_map& expected) {
    const auto room = static_cast<std::uint32_t>(expected.size());
    buffer<B, std::uint64_t> edges(res_, room);
    buffer<B, double> weights(res_, room);
    buffer<B, std::uint32_t> count(res_, 1);
    fill_bytes(res_, count.data(), 0, 1);
    for_each_edge<Width>(res_, graph.view(), note_edge<Weight>{edges.data(), weights.data(), count.data(), room});
    ASSERT_EQ(read_back(res_, count.data()), room);
    const auto noted = to_host(res_, edges.data(), room);
    const auto with = to_host(res_, weights.data(), room);
    edge_map found;
    for (std::uint32_t i = 0; i < room; ++i) {
      found[{static_cast<std::uint32_t>(noted[i] >> 32), static_cast<std::uint32_t>(noted[i])}] = with[i];
    }
    EXPECT_TRUE(found == expected) << "edges or weights differ, width " << Width;
    fill_bytes(res_, count.data(), 0, 1);
    for_each_edge<Width>(res_, graph.view(), note_ends{{edges.data(), weights.data(), count.data(), room}});
    EXPECT_EQ(read_back(res_, count.data()), room);
  }

  void expect_chunks(const graph_type& graph, const edge_map& expected) {
    const std::size_t count = graph.index_count();
    buffer<B, std::uint64_t> sums(res_, count);
    buffer<B, std::uint32_t> whole(res_, count);
    buffer<B, std::uint32_t> parts(res_, count);
    fill_bytes(res_, sums.data(), 0, count);
    fill_bytes(res_, whole.data(), 0, count);
    fill_bytes(res_, parts.data(), 0, count);
    for_each_chunk(res_, graph.view(), sum_chunks<Weight>{sums.data(), whole.data(), parts.data()});
    std::vector<std::uint64_t> expected_sums(count);
    for (const auto& [e, weight] : expected) expected_sums[e.first] += e.second + 1;
    EXPECT_TRUE(to_host(res_, sums.data(), count) == expected_sums);
    const auto wholes = to_host(res_, whole.data(), count);
    const auto partly = to_host(res_, parts.data(), count);
    for (std::size_t u = 0; u < count; ++u) {
      if (expected_sums[u] == 0) {
        ASSERT_EQ(wholes[u] + partly[u], 0U) << "vertex " << u;
      } else if (u == 500) {
        ASSERT_TRUE(wholes[u] == 0 && partly[u] > 1) << "the hub was one tile's work";
      } else {
        ASSERT_TRUE(wholes[u] == 1 ? partly[u] == 0 : partly[u] > 0) << "vertex " << u;
      }
    }
  }

  seeded_random random_;
  resources<B> res_ = make_resources<B>();
};

TYPED_TEST_SUITE_P(edge_walks);

TYPED_TEST_P(edge_walks, every_edge_comes_once) {
  for (const graph_options& options : this->all_options()) {
    typename TypeParam::graph graph(this->res_, options);
    this->fill(graph, 30000);
    const auto expected = this->oracle(graph);
    this->template expect_edges<2>(graph, expected);
    this->template expect_edges<8>(graph, expected);
    this->template expect_edges<32>(graph, expected);
    this->expect_chunks(graph, expected);
  }
}

TYPED_TEST_P(edge_walks, an_empty_graph_has_no_edges) {
  typename TypeParam::graph graph(this->res_);
  this->template expect_edges<8>(graph, {});
  const auto rows = graph.to_csr(this->res_);
  EXPECT_EQ(to_host(this->res_, rows.offsets.data(), rows.offsets.size()), std::vector<std::uint64_t>{0});
  EXPECT_EQ(graph.to_coo(this->res_).targets.size(), 0U);
}

TYPED_TEST_P(edge_walks, rows_are_the_list_with_offsets) {
  for (const graph_options& options : this->all_options()) {
    typename TypeParam::graph graph(this->res_, options);
    this->fill(graph, 30000);
    const auto list = graph.to_coo(this->res_);
    const auto sources = to_host(this->res_, list.sources.data(), list.sources.size());
    const auto targets = to_host(this->res_, list.targets.data(), list.targets.size());
    for (std::size_t i = 1; i < sources.size(); ++i) {
      ASSERT_LT(std::pair(sources[i - 1], targets[i - 1]), std::pair(sources[i], targets[i]));
    }
    const auto rows = graph.to_csr(this->res_);
    EXPECT_EQ(to_host(this->res_, rows.targets.data(), rows.targets.size()), targets);
    EXPECT_EQ(to_host(this->res_, rows.weights.data(), rows.weights.size()),
              to_host(this->res_, list.weights.data(), list.weights.size()));
    std::vector<std::uint64_t> offsets(graph.index_count() + 1);
    for (const std::uint32_t u : sources) ++offsets[u + 1];
    for (std::size_t u = 0; u < graph.index_count(); ++u) offsets[u + 1] += offsets[u];
    EXPECT_EQ(to_host(this->res_, rows.offsets.data(), rows.offsets.size()), offsets);
    std::map<graph_oracle::edge, double> expected;
    for (std::uint64_t v = 1; v <= 30000; ++v) {
      if (v % 5 != 3) expected[{500, 1000 + v}] = this->weighted ? static_cast<double>((3500 + 1000 + v) % 1000) : 0;
    }
    for (const auto& [e, weight] : this->oracle(graph)) {
      const auto at = expected.find({e.first, e.second});
      if (at == expected.end()) continue;
      EXPECT_EQ(weight, at->second);
      expected.erase(at);
    }
    EXPECT_TRUE(expected.empty()) << expected.size() << " of the hub's edges are missing";
  }
}

REGISTER_TYPED_TEST_SUITE_P(edge_walks, every_edge_comes_once, an_empty_graph_has_no_edges,
                            rows_are_the_list_with_offsets);

template <backend B>
using walk_type_list = types_to_test<types_kept(2, 3), graph_types<B, std::uint32_t, none>,
                                     graph_types<B, std::uint64_t, double>, graph_types<B, std::uint32_t, float>>;

}  // namespace mangrove::test
