#include "mangrove/io/generate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "mangrove/core/error.hpp"
#include "mangrove/io/counter_random.hpp"
#include "mangrove/io/generate_grid.hpp"
#include "mangrove/io/generate_rgg.hpp"

namespace mangrove::io {
namespace {

using edge = std::pair<std::uint64_t, std::uint64_t>;

std::vector<edge> edges_of(const edge_list& list) {
  std::vector<edge> edges;
  for (std::size_t i = 0; i < list.size(); ++i) edges.emplace_back(list.sources[i], list.targets[i]);
  return edges;
}

/// Edges with the smaller end first, ascending, loops and repeats dropped.
std::vector<edge> simple_edges_of(const edge_list& list) {
  std::set<edge> edges;
  for (auto [u, v] : edges_of(list)) {
    if (u != v) edges.emplace(std::min(u, v), std::max(u, v));
  }
  return {edges.begin(), edges.end()};
}

std::vector<std::uint32_t> degrees_of(const edge_list& list) {
  std::vector<std::uint32_t> degrees(list.vertex_count + 1);
  for (auto [u, v] : edges_of(list)) {
    ++degrees[u];
    ++degrees[v];
  }
  return degrees;
}

std::uint64_t components_of(const edge_list& list) {
  std::vector<std::uint64_t> parents(list.vertex_count + 1);
  std::iota(parents.begin(), parents.end(), 0);
  const auto root = [&](std::uint64_t v) {
    while (parents[v] != v) v = parents[v] = parents[parents[v]];
    return v;
  };
  std::uint64_t components = list.vertex_count;
  for (auto [u, v] : edges_of(list)) {
    if (root(u) == root(v)) continue;
    parents[root(u)] = root(v);
    --components;
  }
  return components;
}

template <class Options>
Options options_of_scale(int scale, std::uint64_t seed = 1) {
  Options options;
  options.scale = scale;
  options.seed = seed;
  return options;
}

template <class Options>
class generators : public testing::Test {};
using all_options = testing::Types<rmat_options, rgg_options, road_options, mesh_options>;
TYPED_TEST_SUITE(generators, all_options);

TYPED_TEST(generators, give_the_same_on_any_number_of_threads) {
  const auto options = options_of_scale<TypeParam>(13, 7);
  const auto one = generate(cpu_resources(1), options);
  for (const int threads : {2, 5}) {
    const auto other = generate(cpu_resources(threads), options);
    EXPECT_EQ(one.sources, other.sources);
    EXPECT_EQ(one.targets, other.targets);
  }
}

TYPED_TEST(generators, follow_the_seed) {
  const auto first = generate(cpu_resources(1), options_of_scale<TypeParam>(10, 1));
  const auto second = generate(cpu_resources(1), options_of_scale<TypeParam>(10, 2));
  EXPECT_NE(simple_edges_of(first), simple_edges_of(second));
}

TYPED_TEST(generators, use_the_ids_1_to_the_number_of_vertices) {
  for (const int scale : {1, 2, 3, 8, 9}) {
    const auto list = generate(cpu_resources(1), options_of_scale<TypeParam>(scale));
    EXPECT_EQ(list.vertex_count, std::uint64_t{1} << scale);
    EXPECT_FALSE(list.directed);
    for (auto [u, v] : edges_of(list)) {
      ASSERT_GE(std::min(u, v), 1U);
      ASSERT_LE(std::max(u, v), list.vertex_count);
    }
  }
}

TYPED_TEST(generators, refuse_a_scale_out_of_range) {
  for (const int scale : {-1, 0, 32}) {
    EXPECT_THROW(generate(cpu_resources(1), options_of_scale<TypeParam>(scale)), usage_error);
  }
}

template <class Options>
class simple_generators : public testing::Test {};
using simple_options = testing::Types<rgg_options, road_options, mesh_options>;
TYPED_TEST_SUITE(simple_generators, simple_options);

TYPED_TEST(simple_generators, make_neither_loops_nor_repeats) {
  const auto list = generate(cpu_resources(2), options_of_scale<TypeParam>(12));
  EXPECT_EQ(simple_edges_of(list).size(), list.size());
}

// The generators' results are part of what others measure: a change here changes every figure made with them.
TEST(generate, results_do_not_change_between_versions) {
  const auto checksum = [](const edge_list& list) {
    std::uint64_t sum = list.size();
    for (auto [u, v] : edges_of(list)) sum = mix(sum + mix(u) + v);
    return sum;
  };
  const cpu_resources res(1);
  EXPECT_EQ(checksum(generate(res, options_of_scale<rmat_options>(10))), 3504904550244855609U);
  EXPECT_EQ(checksum(generate(res, options_of_scale<rgg_options>(10))), 1942909661280983136U);
  EXPECT_EQ(checksum(generate(res, options_of_scale<road_options>(10))), 1663628152599317694U);
  EXPECT_EQ(checksum(generate(res, options_of_scale<mesh_options>(10))), 10023726136494030277U);
}

TEST(generate_rmat, fills_the_quadrants_as_the_probabilities_say) {
  auto options = options_of_scale<rmat_options>(14);
  options.ids = rmat_ids::plain;
  const auto list = generate(cpu_resources(2), options);
  EXPECT_EQ(list.size(), std::size_t{16} << 14);
  const std::uint64_t half = list.vertex_count / 2;
  std::uint64_t upper_left = 0, upper_right = 0, lower_left = 0;
  for (auto [u, v] : edges_of(list)) {
    upper_left += u <= half && v <= half;
    upper_right += u <= half && v > half;
    lower_left += u > half && v <= half;
  }
  const auto share = [&](std::uint64_t count) { return static_cast<double>(count) / static_cast<double>(list.size()); };
  EXPECT_NEAR(share(upper_left), 0.57, 0.01);
  EXPECT_NEAR(share(upper_right), 0.19, 0.01);
  EXPECT_NEAR(share(lower_left), 0.19, 0.01);
}

TEST(generate_rmat, scrambling_renames_vertices_and_changes_nothing_else) {
  auto options = options_of_scale<rmat_options>(9);
  const auto scrambled = generate(cpu_resources(1), options);
  options.ids = rmat_ids::plain;
  const auto plain = generate(cpu_resources(1), options);
  std::vector<std::uint64_t> name(plain.vertex_count + 1);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    for (auto column : {&edge_list::sources, &edge_list::targets}) {
      auto& known = name[(plain.*column)[i]];
      if (known == 0) known = (scrambled.*column)[i];
      ASSERT_EQ(known, (scrambled.*column)[i]);
    }
  }
  name.erase(std::remove(name.begin(), name.end(), 0), name.end());
  std::sort(name.begin(), name.end());
  EXPECT_EQ(std::unique(name.begin(), name.end()), name.end());
  EXPECT_NE(simple_edges_of(scrambled), simple_edges_of(plain));
}

TEST(generate_rmat, refuses_probabilities_beyond_1) {
  rmat_options options;
  options.a = 0.9;
  EXPECT_THROW(generate(cpu_resources(1), options), usage_error);
  options.a = -0.1;
  EXPECT_THROW(generate(cpu_resources(1), options), usage_error);
}

TEST(generate_rmat, refuses_more_edges_than_fit) {
  rmat_options options;
  options.edge_factor = std::uint64_t{1} << 60;
  EXPECT_THROW(generate(cpu_resources(1), options), usage_error);
}

TEST(generate_rgg, joins_exactly_the_points_within_the_radius) {
  for (const double radius : {0.004, 0.03, 0.2, 0.5}) {
    auto options = options_of_scale<rgg_options>(9, 3);
    options.radius = radius;
    const rgg_points points(options, static_cast<std::uint32_t>(radius * 4294967296.0));
    std::vector<std::uint64_t> keys(points.vertices());
    for (std::uint64_t i = 0; i < keys.size(); ++i) keys[i] = points.key(i);
    std::sort(keys.begin(), keys.end());
    std::vector<edge> expected;
    for (std::uint64_t i = 0; i < keys.size(); ++i) {
      for (std::uint64_t j = i + 1; j < keys.size(); ++j) {
        if (points.near(keys[i] & 0xffffffffU, keys[j] & 0xffffffffU)) expected.emplace_back(i + 1, j + 1);
      }
    }
    EXPECT_EQ(simple_edges_of(generate(cpu_resources(2), options)), expected) << "radius " << radius;
  }
}

TEST(generate_rgg, has_about_the_degree_asked_for) {
  auto options = options_of_scale<rgg_options>(15);
  options.degree = 9;
  const auto list = generate(cpu_resources(2), options);
  EXPECT_NEAR(2.0 * static_cast<double>(list.size()) / static_cast<double>(list.vertex_count), 9, 0.3);
}

TEST(generate_rgg, refuses_radii_out_of_range) {
  rgg_options options;
  options.radius = 0.6;
  EXPECT_THROW(generate(cpu_resources(1), options), usage_error);
  options.radius = 0;
  options.degree = 0;
  EXPECT_THROW(generate(cpu_resources(1), options), usage_error);
}

TEST(generate_road, is_connected_and_sparse) {
  const auto list = generate(cpu_resources(2), options_of_scale<road_options>(15));
  EXPECT_EQ(components_of(list), 1U);
  const double degree = 2.0 * static_cast<double>(list.size()) / static_cast<double>(list.vertex_count);
  EXPECT_NEAR(degree, 2.4, 0.03);
  const auto degrees = degrees_of(list);
  EXPECT_LE(*std::max_element(degrees.begin(), degrees.end()), 6U);
  const auto paths = std::count(degrees.begin(), degrees.end(), 2U);
  EXPECT_GT(paths, static_cast<std::ptrdiff_t>(list.vertex_count / 3));
}

TEST(generate_mesh, has_the_edges_of_a_triangulation) {
  const auto list = generate(cpu_resources(2), options_of_scale<mesh_options>(12));
  // Rows, columns and one diagonal a cell of a 64 by 64 grid.
  EXPECT_EQ(list.size(), 2U * 64 * 63 + 63 * 63);
  EXPECT_EQ(components_of(list), 1U);
  const auto degrees = degrees_of(list);
  EXPECT_LE(*std::max_element(degrees.begin(), degrees.end()), 8U);
  const auto rising = std::count_if(list.sources.begin(), list.sources.end(), [&](const std::uint64_t& u) {
    return list.targets[static_cast<std::size_t>(&u - list.sources.data())] + 63 == u;
  });
  EXPECT_NEAR(static_cast<double>(rising) / (63 * 63), 0.5, 0.05) << "both diagonals are equally frequent";
}

double angle(mesh_generator::point at, mesh_generator::point p, mesh_generator::point q) {
  const auto direction = [&](mesh_generator::point to) {
    return std::atan2(static_cast<double>(to.y - at.y), static_cast<double>(to.x - at.x));
  };
  const double turn = std::abs(direction(p) - direction(q));
  return std::min(turn, 2 * std::acos(-1.0) - turn);
}

double least_angle(mesh_generator::point a, mesh_generator::point b, mesh_generator::point c) {
  return std::min({angle(a, b, c), angle(b, c, a), angle(c, a, b)});
}

// What tells Delaunay's diagonal from the other one.
TEST(generate_mesh, cuts_quadrilaterals_such_that_the_least_angle_is_greatest) {
  const auto options = options_of_scale<mesh_options>(10, 5);
  const mesh_generator mesh(options);
  const auto edges = simple_edges_of(generate(cpu_resources(1), options));
  constexpr std::uint64_t width = 32;
  for (std::uint64_t i = 0; i < width * width; ++i) {
    if (i % width == width - 1 || i / width == width - 1) continue;
    const auto a = mesh.position(i), b = mesh.position(i + 1), c = mesh.position(i + width + 1),
               d = mesh.position(i + width);
    const double falling = std::min(least_angle(a, b, c), least_angle(a, c, d));
    const double rising = std::min(least_angle(a, b, d), least_angle(b, c, d));
    const bool is_falling = std::binary_search(edges.begin(), edges.end(), edge(i + 1, i + width + 2));
    const bool is_rising = std::binary_search(edges.begin(), edges.end(), edge(i + 2, i + width + 1));
    ASSERT_NE(is_falling, is_rising);
    if (std::abs(falling - rising) > 1e-9) {
      ASSERT_EQ(is_falling, falling > rising) << i;
    }
  }
}

TEST(without_repeats, keeps_each_edge_once) {
  auto options = options_of_scale<rmat_options>(8);
  const auto raw = generate(cpu_resources(1), options);
  const auto simple = without_repeats(cpu_resources(2), raw);
  EXPECT_LT(simple.size(), raw.size());
  EXPECT_EQ(simple.vertex_count, raw.vertex_count);
  EXPECT_EQ(edges_of(simple), simple_edges_of(raw));
}

TEST(without_repeats, refuses_what_it_cannot_tell_apart) {
  edge_list list;
  list.sources = {1};
  list.targets = {std::uint64_t{1} << 32};
  EXPECT_THROW(without_repeats(cpu_resources(1), list), usage_error);
  list.targets = {2};
  list.directed = true;
  EXPECT_THROW(without_repeats(cpu_resources(1), list), usage_error);
}

TEST(counter_random, permutations_are_permutations) {
  for (const std::uint64_t count : {1, 7, 64, 65, 1000}) {
    for (const std::uint64_t seed : {1, 2}) {
      const random_permutation permutation(seed, 0, count);
      std::vector<std::uint64_t> seen;
      for (std::uint64_t i = 0; i < count; ++i) seen.push_back(permutation(i));
      EXPECT_EQ(std::is_sorted(seen.begin(), seen.end()), count == 1);
      std::sort(seen.begin(), seen.end());
      for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(seen[i], i) << count;
    }
  }
}

struct stream_effect {
  std::uint64_t erases = 0, erased = 0, inserts = 0, inserted = 0;
};

stream_effect effect_of(const edge_list& graph, const update_batch& updates) {
  std::set<edge> present;
  for (auto [u, v] : simple_edges_of(graph)) present.emplace(u, v);
  stream_effect effect;
  for (std::size_t i = 0; i < updates.size(); ++i) {
    const edge e = std::minmax(updates.sources[i], updates.targets[i]);
    if (updates.kinds[i] == update_kind::erase) {
      ++effect.erases;
      effect.erased += present.erase(e);
    } else {
      ++effect.inserts;
      if (e.first != e.second) effect.inserted += present.insert(e).second;
    }
  }
  return effect;
}

TEST(generate_stream, gives_the_same_on_any_number_of_threads) {
  const auto graph = generate(cpu_resources(1), options_of_scale<rmat_options>(10));
  const auto one = generate_stream(cpu_resources(1), graph, {});
  const auto two = generate_stream(cpu_resources(2), graph, {});
  EXPECT_EQ(one.kinds, two.kinds);
  EXPECT_EQ(one.sources, two.sources);
  EXPECT_EQ(one.targets, two.targets);
}

TEST(generate_stream, mostly_erases_what_is_there) {
  const cpu_resources res(2);
  const auto graph = without_repeats(res, generate(res, options_of_scale<rmat_options>(12)));
  stream_options options;
  options.updates = 30000;
  const auto effect = effect_of(graph, generate_stream(res, graph, options));
  EXPECT_NEAR(static_cast<double>(effect.erases), 0.4 * 30000, 100);
  EXPECT_GT(effect.erased, effect.erases * 95 / 100);
  EXPECT_GT(effect.inserted, effect.inserts * 60 / 100);
  EXPECT_LT(effect.inserted, effect.inserts * 95 / 100) << "repeats insert what is there";
}

TEST(generate_stream, needs_no_edges_to_start_from) {
  edge_list graph;
  graph.vertex_count = 1000;
  stream_options options;
  options.updates = 50000;
  const auto updates = generate_stream(cpu_resources(2), graph, options);
  for (const auto* column : {&updates.sources, &updates.targets}) {
    EXPECT_EQ(*std::min_element(column->begin(), column->end()), 1U);
    EXPECT_EQ(*std::max_element(column->begin(), column->end()), 1000U);
  }
  const auto effect = effect_of(graph, updates);
  EXPECT_GT(effect.erased, effect.erases * 80 / 100);
}

TEST(generate_stream, survives_more_erases_than_edges) {
  edge_list graph;
  graph.sources = {1, 2};
  graph.targets = {2, 3};
  graph.vertex_count = 3;
  stream_options options;
  options.updates = 5000;
  options.erases = 1;
  options.repeats = 0;
  const auto effect = effect_of(graph, generate_stream(cpu_resources(1), graph, options));
  EXPECT_EQ(effect.erases, 5000U);
  EXPECT_EQ(effect.erased, 2U);
}

TEST(generate_stream, refuses_nonsense) {
  EXPECT_THROW(generate_stream(cpu_resources(1), {}, {}), usage_error);
  edge_list graph;
  graph.vertex_count = 5;
  stream_options options;
  options.erases = 0.7;
  options.repeats = 0.4;
  EXPECT_THROW(generate_stream(cpu_resources(1), graph, options), usage_error);
}

}  // namespace
}  // namespace mangrove::io
