#pragma once

#include <algorithm>
#include <vector>

#include "applied_batches.hpp"
#include "mangrove/core/error.hpp"
#include "mangrove/core/hash.hpp"

/// @file
/// Which vertices come to be when a graph without edges gets a batch of inserts: those that are sources are known from
/// their edges, and targets are only looked at where a vertex may be left.

namespace mangrove::test {

template <class Types>
class first_batches : public applied_batches<Types> {
 protected:
  static constexpr std::uint64_t count = 20'000;  ///< of vertices: so many edges are built in bulk

  static void add(update_batch& batch, std::uint64_t u, std::uint64_t v) {
    batch.push_back(update_kind::insert, u, v);
    if constexpr (!is_none<typename Types::weight>) batch.weights.push_back(static_cast<double>((u + v) % 1000));
  }

  /// A number as an id that is anywhere among all values.
  static std::uint64_t spread(std::uint64_t i) {
    if constexpr (sizeof(typename Types::vertex) == sizeof(std::uint64_t)) return mix(i);
    return mix(static_cast<std::uint32_t>(i));
  }

  /// So many edges between ids, most of them many times. @param id gives the ids
  template <class Id>
  static update_batch repeats(std::uint64_t updates, const Id& id) {
    constexpr std::uint64_t ids = 3000;
    update_batch batch;
    for (std::uint64_t i = 0; i < updates; ++i) add(batch, id(i % ids), id((i % ids + i % 7) % ids));
    add(batch, 17, 4'294'967'295);
    return batch;
  }

  /// Applies a batch to a graph with sparse ids, which is empty or has some vertices.
  void check_sparse(const update_batch& batch, const std::vector<std::uint64_t>& there) {
    const graph_options options{.direction = edge_direction::directed, .ids = id_space::sparse};
    for (const bool has_vertices : {false, true}) {
      typename Types::graph graph(this->res_, options);
      graph_oracle oracle(options);
      update_batch vertices;
      for (const std::uint64_t v : there) vertices.push_back(update_kind::insert_vertex, v, v);
      if (has_vertices) this->apply_mixed(graph, oracle, vertices);
      this->apply_alike(graph, oracle, batch);
      expect_same<Types>(this->res_, graph, oracle);
    }
  }

  /// Each of the ids from `first` on leads to the next one, the last one to the first.
  static update_batch ring(std::uint64_t first) {
    update_batch batch;
    for (std::uint64_t i = 0; i < count; ++i) add(batch, first + i, first + (i + 1) % count);
    return batch;
  }

  /// So many edges between vertices that are there, and some to and from ids from `beyond` on.
  static update_batch some_beyond(std::uint64_t edges, std::uint64_t beyond) {
    update_batch batch;
    for (std::uint64_t i = 0; i < edges; ++i) add(batch, i * 7 % count, i * i % count);
    add(batch, 3, beyond + 2);
    add(batch, beyond + 9, 4);
    add(batch, beyond + 9, beyond);
    return batch;
  }

  /// Batches of so many edges that name ids which the dictionary does not have: a little beyond, then erased ones, and
  /// far beyond.
  void check_growth(const graph_options& options, std::uint64_t edges) {
    typename Types::graph graph(this->res_, options);
    graph_oracle oracle(options);
    this->apply_alike(graph, oracle, ring(0));
    std::uint64_t known = count;
    for (const std::uint64_t step : {0, 150, 60'000, 11}) {
      this->apply_alike(graph, oracle, some_beyond(edges, known + step));
      known += step + 10;
      ASSERT_EQ(graph.index_count(), known);
      update_batch erased = some_beyond(edges / 2, known + 5);
      std::fill(erased.kinds.begin(), erased.kinds.end(), update_kind::erase);
      this->apply_alike(graph, oracle, erased);
      erased.kinds[0] = update_kind::insert;
      this->apply_mixed(graph, oracle, erased);
      ASSERT_EQ(graph.index_count(), known) << "who erases an edge makes no vertex";
      ASSERT_NO_FATAL_FAILURE(expect_same<Types>(this->res_, graph, oracle));
    }
  }

  /// Applies a batch to a graph that is empty, and to one that has vertices without edges.
  void check(const update_batch& batch) {
    for (const auto direction : {edge_direction::directed, edge_direction::undirected}) {
      for (const auto loops : {self_loops::drop, self_loops::keep}) {
        for (const auto ids : {id_space::dense, id_space::sparse}) {
          check_with({.direction = direction, .loops = loops, .ids = ids}, batch);
          if (testing::Test::HasFailure()) return;
        }
      }
    }
  }

  void check_with(const graph_options& options, const update_batch& batch) {
    for (const bool has_vertices : {false, true}) {
      typename Types::graph graph(this->res_, options);
      graph_oracle oracle(options);
      update_batch vertices;
      for (const std::uint64_t v : {5, 40, 2990}) vertices.push_back(update_kind::insert_vertex, v, v);
      if (has_vertices) this->apply_mixed(graph, oracle, vertices);
      this->apply_alike(graph, oracle, batch);
      expect_same<Types>(this->res_, graph, oracle);
    }
  }
};

TYPED_TEST_SUITE_P(first_batches);

TYPED_TEST_P(first_batches, whose_vertices_are_all_sources) {
  this->check(this->ring(0));
  this->check(this->ring(1));
}

TYPED_TEST_P(first_batches, of_which_one_vertex_is_a_target_alone) {
  for (const std::uint64_t target : {std::uint64_t{0}, this->count + 1, this->count + 300}) {
    SCOPED_TRACE(target);
    update_batch batch = this->ring(1);
    this->add(batch, 17, target);
    this->check(batch);
  }
}

TYPED_TEST_P(first_batches, of_which_most_vertices_are_targets_alone) {
  update_batch batch;
  for (std::uint64_t i = 0; i < this->count; ++i) this->add(batch, i % 7 * 64, i * 3);
  this->check(batch);
}

TYPED_TEST_P(first_batches, with_self_loops) {
  update_batch batch = this->ring(3);
  this->add(batch, 0, 0);
  this->add(batch, 1, 1);
  this->add(batch, 2, 2);
  this->add(batch, 1, 9);
  this->add(batch, 9, 9);
  this->add(batch, this->count + 40, this->count + 40);
  this->check(batch);
}

TYPED_TEST_P(first_batches, whose_next_ones_name_vertices_beyond_the_dictionary) {
  for (const auto direction : {edge_direction::directed, edge_direction::undirected}) {
    for (const std::uint64_t edges : {2, 3'000, 140'000}) {
      SCOPED_TRACE(edges);
      ASSERT_NO_FATAL_FAILURE(this->check_growth({.direction = direction}, edges));
    }
  }
}

/// So large that ids are numbered without being looked up, if they are spread; and such a one of vertices that others
/// are there beside, so that repeats of unknown ids are filtered out, most of them, before those are sorted.
TYPED_TEST_P(first_batches, of_sparse_ids_with_many_repeats) {
  constexpr std::uint64_t updates = (std::uint64_t{1} << 19) + 17;
  const auto near = [](std::uint64_t i) { return i * 1'400'000 + 5; };
  this->check_sparse(this->repeats(updates, near), {near(2), near(7), 4});
  const auto anywhere = [](std::uint64_t i) { return first_batches<TypeParam>::spread(i); };
  this->check_sparse(this->repeats(updates, anywhere), {anywhere(2), anywhere(7), 4});
}

/// More of them than may be left out for being repeats.
TYPED_TEST_P(first_batches, of_sparse_ids_all_of_which_differ) {
  constexpr std::uint64_t updates = std::uint64_t{1} << 19;
  update_batch batch;
  for (std::uint64_t i = 0; i < updates; ++i) this->add(batch, this->spread(2 * i), this->spread(2 * i + 1));
  const auto sources = this->template placed<typename TypeParam::vertex>(batch.sources);
  const auto targets = this->template placed<typename TypeParam::vertex>(batch.targets);
  typename TypeParam::graph graph(this->res_, {.direction = edge_direction::directed, .ids = id_space::sparse});
  for (const bool again : {false, true}) {
    const update_counts counts =
        graph.apply(this->res_, {sources.data(), targets.data(), nullptr, nullptr, update_kind::insert, updates});
    EXPECT_EQ(counts.inserted, again ? 0 : updates);
    EXPECT_EQ(counts.vertices_inserted, again ? 0 : 2 * updates);
    EXPECT_EQ(graph.index_count(), 2 * updates);
  }
  buffer<typename TypeParam::backend_type, std::uint8_t> found(this->res_, updates);
  graph.contains(this->res_, sources.data(), targets.data(), found.data(), updates);
  const auto flags = to_host(this->res_, found.data(), updates);
  EXPECT_EQ(std::count(flags.begin(), flags.end(), 1), static_cast<std::ptrdiff_t>(updates));
}

TYPED_TEST_P(first_batches, whose_ids_of_dropped_loops_alone_leave_room_for_others) {
  constexpr std::uint64_t loops = 100;
  const std::uint64_t beyond = 2 * this->count;
  const graph_options options{.direction = edge_direction::directed, .ids = id_space::sparse};
  typename TypeParam::graph graph(this->res_, options);
  graph_oracle oracle(options);
  update_batch batch = this->ring(0);
  for (std::uint64_t i = 0; i < loops; ++i) this->add(batch, beyond + i, beyond + i);
  this->apply_alike(graph, oracle, batch);
  EXPECT_EQ(graph.vertex_count(), this->count);
  update_batch more;
  for (std::uint64_t i = 0; i < loops; ++i) this->add(more, i, 2 * beyond + i);
  this->apply_alike(graph, oracle, more);
  EXPECT_EQ(graph.vertex_count(), this->count + loops);
  EXPECT_EQ(graph.index_count(), this->count + loops);
  expect_same<TypeParam>(this->res_, graph, oracle);
}

TYPED_TEST_P(first_batches, of_sparse_ids_apply_whole_or_not_at_all_when_memory_is_refused) {
  using B = typename TypeParam::backend_type;
  using vertex = typename TypeParam::vertex;
  const auto memory = std::make_shared<limited_memory>(upstream_memory(this->res_));
  const resources<B> res(0, memory);
  typename TypeParam::graph graph(res, {.direction = edge_direction::directed, .ids = id_space::sparse});
  graph_oracle oracle(graph.options());
  update_batch batch;  // some of its ids come to be no vertices
  for (std::uint64_t i = 0; i < this->count; ++i) batch.push_back(update_kind::insert, 3 * i, i % 9 == 0 ? 3 * i : i);
  const auto sources = this->template placed<vertex>(batch.sources);
  const auto targets = this->template placed<vertex>(batch.targets);
  std::uint64_t granted = 0;
  for (bool applied = false; !applied; granted += thread_sanitizer ? 5 : 1) {
    memory->refuse_after(granted);
    try {
      graph.apply(res, {sources.data(), targets.data(), nullptr, nullptr, update_kind::insert, batch.size()});
      applied = true;
    } catch (const memory_error&) {
    }
    memory->refuse_after(limited_memory::unlimited);
    if (applied) oracle.apply(batch);
    expect_same<TypeParam>(res, graph, oracle);
    ASSERT_FALSE(testing::Test::HasFailure()) << "after " << granted << " requests";
  }
  EXPECT_GT(granted, 10U);
  batch.push_back(update_kind::insert, this->count, 4 * this->count);
  this->apply_alike(graph, oracle, batch);
  expect_same<TypeParam>(res, graph, oracle);
}

REGISTER_TYPED_TEST_SUITE_P(first_batches, whose_vertices_are_all_sources, of_which_one_vertex_is_a_target_alone,
                            of_which_most_vertices_are_targets_alone, with_self_loops,
                            whose_next_ones_name_vertices_beyond_the_dictionary, of_sparse_ids_with_many_repeats,
                            of_sparse_ids_all_of_which_differ, whose_ids_of_dropped_loops_alone_leave_room_for_others,
                            of_sparse_ids_apply_whole_or_not_at_all_when_memory_is_refused);

}  // namespace mangrove::test
