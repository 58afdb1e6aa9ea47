#pragma once

#include <array>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "support/sanitizers.hpp"
#include "vertex_removal_support.hpp"

/// @file
/// Removing vertices with their edges, against rows of neighbours on the host. Needs the backend's `for_each_tile`.

namespace mangrove::test {

template <backend B, class Bits>
struct removal_types {
  using backend_type = B;
  using bits = Bits;
};

template <class Types>
class vertex_removal : public testing::Test {
 protected:
  using B = typename Types::backend_type;
  using Bits = typename Types::bits;
  using rows_type = neighbor_rows<Bits>;
  using edge = std::pair<std::uint32_t, std::uint32_t>;

  vertex_removal() : memory_(make_limited_memory<B>()), res_(make_resources<B>(memory_)) {}

  static std::vector<removal_recipe> all_recipes() {
    std::vector<removal_recipe> all;
    for (const auto direction : {edge_direction::undirected, edge_direction::directed}) {
      for (const auto loops : {self_loops::drop, self_loops::keep}) {
        for (const bool arrays : {true, false}) {
          for (const std::uint32_t percent : {60, 99}) all.push_back({direction, loops, arrays, percent});
        }
      }
    }
    return all;
  }

  static std::string name(const removal_recipe& recipe) {
    return std::string(recipe.direction == edge_direction::directed ? "directed" : "undirected") +
           (recipe.loops == self_loops::keep ? ", loops" : "") + (recipe.arrays ? "" : ", tables") + ", load " +
           std::to_string(recipe.table_percent);
  }

  void make(const removal_recipe& recipe, std::uint32_t index_count, const std::vector<edge>& edges) {
    recipe_ = recipe;
    rows_.assign(index_count, {});
    exists_.assign(index_count, true);
    for (const auto& [u, v] : edges) {
      if (u == v && recipe.loops == self_loops::drop) continue;
      const std::uint64_t weight = is_none<Bits> ? 0 : (std::uint64_t{u} * 31 + v) & 0xffffff;
      rows_[u].emplace(v, weight);
      if (recipe.direction == edge_direction::undirected) rows_[v].emplace(u, rows_[u][v]);
    }
    for (std::uint32_t u = 7; u < index_count; u += 97) {
      if (rows_[u].empty()) exists_[u] = recipe.direction == edge_direction::directed;  // may have edges to it
    }
    graph_.emplace(res_, recipe, rows_, exists_);
  }

  /// Edges that differ in degree: vertex u is an end with a chance that falls with u.
  std::vector<edge> skewed_edges(std::uint32_t index_count, std::size_t count) {
    std::vector<edge> edges(count);
    const auto any = [&] {
      const std::uint64_t bound = 1 + random_.below(1 + random_.below(index_count));
      return static_cast<std::uint32_t>(random_.below(bound));
    };
    for (auto& [u, v] : edges) {
      u = any();
      v = static_cast<std::uint32_t>(random_.below(index_count));
      if (random_.below(20) == 0) v = u;
      if (random_.below(2) == 0) std::swap(u, v);
    }
    return edges;
  }

  /// Takes vertices out of the host's rows. @return what the removal should say
  detail::removal_result expected_of(const std::vector<std::uint32_t>& vertices) {
    detail::removal_result result;
    std::set<std::uint32_t> gone;
    for (const std::uint32_t u : vertices) {
      if (u < rows_.size() && exists_[u]) gone.insert(u);
    }
    result.vertices = gone.size();
    std::set<edge> edges;
    for (std::uint32_t u = 0; u < rows_.size(); ++u) {
      std::erase_if(rows_[u], [&](const auto& neighbor) {
        const std::uint32_t v = neighbor.first;
        if (gone.count(u) == 0 && gone.count(v) == 0) return false;
        ++result.directed;
        const bool turn = recipe_.direction == edge_direction::undirected && v < u;
        edges.insert(turn ? edge{v, u} : edge{u, v});
        return true;
      });
    }
    result.detached = edges.size();
    for (const std::uint32_t u : gone) exists_[u] = false;
    return result;
  }

  void expect_as_rows() {
    EXPECT_TRUE(graph_->read() == rows_) << "neighbours or weights differ";
    const std::vector<std::uint32_t> words = graph_->presence();
    for (std::uint32_t u = 0; u < rows_.size(); ++u) {
      ASSERT_EQ((words[u / 32] >> (u % 32) & 1) != 0, exists_[u]) << "vertex " << u;
    }
  }

  void remove(const std::vector<std::uint32_t>& vertices) {
    const auto before = graph_->entries();
    const detail::removal_result result = graph_->remove(res_, vertices);
    const detail::removal_result expected = expected_of(vertices);
    EXPECT_EQ(result.vertices, expected.vertices);
    EXPECT_EQ(result.directed, expected.directed);
    EXPECT_EQ(result.detached, expected.detached);
    expect_as_rows();
    graph_->check_pool(before);
  }

  seeded_random random_;
  std::shared_ptr<limited_memory> memory_;
  resources<B> res_;
  removal_recipe recipe_;
  rows_type rows_;
  std::vector<bool> exists_;
  std::optional<raw_graph<B, Bits>> graph_;
};

TYPED_TEST_SUITE_P(vertex_removal);

TYPED_TEST_P(vertex_removal, round_after_round_matches_the_rows) {
  for (const removal_recipe& recipe : this->all_recipes()) {
    SCOPED_TRACE(this->name(recipe));
    const auto index_count = static_cast<std::uint32_t>(300 + this->random_.below(3000));
    this->make(recipe, index_count, this->skewed_edges(index_count, 30000));
    for (const std::uint32_t one_in : {1000, 200, 40, 10, 4, 2, 2}) {
      std::vector<std::uint32_t> vertices{index_count, ~std::uint32_t{0}, index_count + 40};
      for (std::uint32_t i = 0; i < 1 + index_count / one_in; ++i) {
        vertices.push_back(static_cast<std::uint32_t>(this->random_.below(index_count)));
        if (i % 7 == 0) vertices.push_back(vertices.back());
      }
      this->remove(vertices);
      ASSERT_FALSE(testing::Test::HasFailure()) << "one in " << one_in;
    }
  }
}

TYPED_TEST_P(vertex_removal, nothing_is_removed_by_unknown_vertices) {
  this->make({}, 100, {{1, 2}, {2, 3}});
  for (const std::vector<std::uint32_t>& unknown : {std::vector<std::uint32_t>{}, {100, 5000, ~0U}, {7}}) {
    ASSERT_FALSE(this->exists_[7]);
    EXPECT_EQ(this->graph_->remove(this->res_, unknown).vertices, 0U);
    this->expect_as_rows();
  }
}

TYPED_TEST_P(vertex_removal, everything_is_removed) {
  for (const removal_recipe& recipe : this->all_recipes()) {
    SCOPED_TRACE(this->name(recipe));
    this->make(recipe, 2000, this->skewed_edges(2000, 20000));
    std::vector<std::uint32_t> all(2000);
    std::iota(all.begin(), all.end(), 0U);
    this->remove(all);
    EXPECT_EQ(this->graph_->bytes_in_use(), 0U);
    for (const detail::vertex_entry& entry : this->graph_->entries()) ASSERT_EQ(entry.degree, 0U);
  }
}

TYPED_TEST_P(vertex_removal, every_degree_loses_every_number_of_neighbours) {
  for (const bool arrays : {true, false}) {
    removal_recipe recipe;
    recipe.arrays = arrays;
    recipe.direction = edge_direction::directed;
    recipe.table_percent = 99;
    std::vector<typename TestFixture::edge> edges;
    std::uint32_t u = 200;  // vertices below 200 are the neighbours
    for (std::uint32_t degree = 1; degree <= 70; ++degree) {
      for (std::uint32_t lost = 0; lost <= degree; lost += 1 + degree / 12, ++u) {
        for (std::uint32_t k = 0; k < degree; ++k) edges.emplace_back(u, k < lost ? 100 + k : k);  // 100 to 199 go
      }
    }
    for (auto& [from, to] : edges) to = to * 77 % 200;  // so that those that go are spread over the row
    this->make(recipe, u, edges);
    std::vector<std::uint32_t> going;
    for (std::uint32_t k = 100; k < 200; ++k) going.push_back(k * 77 % 200);
    this->remove(going);
  }
}

TYPED_TEST_P(vertex_removal, hubs_go_or_lose_their_leaves) {
  constexpr std::uint32_t leaves = 40000;
  for (const auto direction : {edge_direction::undirected, edge_direction::directed}) {
    for (const std::uint32_t left : {leaves, leaves / 2, 3U, 1U, 0U}) {
      SCOPED_TRACE(left);
      removal_recipe recipe;
      recipe.direction = direction;
      std::vector<typename TestFixture::edge> edges{{0, 1}, {1, 0}};
      for (std::uint32_t v = 2; v < leaves + 2; ++v) {
        edges.emplace_back(0, v);
        if (v % 3 == 0) edges.emplace_back(1, v);
        if (v % 5 == 0) edges.emplace_back(v, 1);
      }
      this->make(recipe, leaves + 2, edges);
      std::vector<std::uint32_t> going{1};
      for (std::uint32_t v = left + 2; v < leaves + 2; ++v) going.push_back(v);
      this->remove(going);
      this->remove({0});
      ASSERT_FALSE(testing::Test::HasFailure());
    }
  }
}

TYPED_TEST_P(vertex_removal, more_hubs_than_are_listed) {
  constexpr std::uint32_t vertices = 500;
  removal_recipe recipe;
  recipe.table_percent = 1;  // tables of tens of thousands of slabs, in chunks of eight
  std::vector<typename TestFixture::edge> edges;
  for (std::uint32_t u = 0; u < vertices; ++u) {
    for (std::uint32_t k = 1; k <= 100; ++k) edges.emplace_back(u, (u + k) % vertices);
  }
  recipe.arrays = false;
  this->make(recipe, vertices, edges);
  std::vector<std::uint32_t> going;
  for (std::uint32_t u = 0; u < vertices; u += 3) going.push_back(u);
  this->remove(going);
  going.clear();
  for (std::uint32_t u = 0; u < vertices; ++u) {
    if (u > 3) going.push_back(u);
  }
  this->remove(going);
}

TYPED_TEST_P(vertex_removal, refused_memory_leaves_everything_as_it_was) {
  for (const auto direction : {edge_direction::undirected, edge_direction::directed}) {
    removal_recipe recipe;
    recipe.direction = direction;
    this->make(recipe, 5000, this->skewed_edges(5000, 20000));
    std::vector<std::uint32_t> going;
    for (std::uint32_t u = 0; u < 5000; u += direction == edge_direction::directed ? 3 : 100) going.push_back(u);
    const auto placed = upload(this->res_, going);
    const auto before = this->graph_->entries();
    std::optional<detail::removal_result> result;
    int refusals = 0;
    refuse_every_request(
        *this->memory_, [&] { result = this->graph_->remove(this->res_, going); },
        [&] {
          ++refusals;
          this->expect_as_rows();
        });
    EXPECT_GT(refusals, 4);
    const detail::removal_result expected = this->expected_of(going);
    EXPECT_EQ(result->directed, expected.directed);
    EXPECT_EQ(result->detached, expected.detached);
    this->expect_as_rows();
    this->graph_->check_pool(before);
  }
}

REGISTER_TYPED_TEST_SUITE_P(vertex_removal, round_after_round_matches_the_rows, nothing_is_removed_by_unknown_vertices,
                            everything_is_removed, every_degree_loses_every_number_of_neighbours,
                            hubs_go_or_lose_their_leaves, more_hubs_than_are_listed,
                            refused_memory_leaves_everything_as_it_was);

template <backend B>
using removal_type_list = types_to_test<types_kept(2, 3), removal_types<B, none>, removal_types<B, std::uint64_t>,
                                        removal_types<B, std::uint32_t>>;

}  // namespace mangrove::test
