#include "mangrove/core/for_each.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "../../graph/src/direct_path.hpp"
#include "support/random.hpp"
#include "support/table_checker.hpp"

/// @file
/// Every way of grouping a batch by source, on the CPU: those of CUDA, whose bodies are for tiles with scratch, too.
/// Batches of all shapes, applied without a graph around the dictionary, against a map of edges.

namespace mangrove::test {

namespace {

using detail::edge_outcome;
using detail::grouping;

constexpr std::size_t never = ~std::size_t{0};

/// Rules that lead every batch one way, unless it does not suit.
struct no_way {
  static constexpr std::size_t bins_from = never, sort_from = never, sort_skewed_from = never, full_bins_from = never;
  static constexpr std::size_t at_once_to = 0, singly_to = never;
};
struct through_bins : no_way {
  static constexpr bool by_blocks = true;
  static constexpr std::size_t bins_from = 1;
  static constexpr grouping usual = grouping::bins;
};
struct through_bins_or_sorted : through_bins {
  static constexpr std::size_t sort_skewed_from = 1;
};
struct sorted_by_blocks : no_way {
  static constexpr bool by_blocks = true;
  static constexpr std::size_t sort_from = 1, sort_skewed_from = 1;
  static constexpr grouping usual = grouping::sort;
};
struct through_full_bins : sorted_by_blocks {
  static constexpr std::size_t full_bins_from = 1;
};
struct sorted_by_threads : no_way {
  static constexpr bool by_blocks = false;
  static constexpr std::size_t sort_from = 1, sort_skewed_from = 1;
  static constexpr grouping usual = grouping::sort;
};
struct chained_by_blocks : no_way {
  static constexpr bool by_blocks = true;
  static constexpr grouping usual = grouping::chains;
};
struct chained_at_once : chained_by_blocks {
  static constexpr std::size_t at_once_to = never;
};
struct chained_two_a_lane : chained_at_once {
  static constexpr std::size_t singly_to = 0;
};
struct chained : no_way {
  static constexpr bool by_blocks = false;
  static constexpr grouping usual = grouping::chains;
};

template <class Rule, class Bits>
struct grouping_types {
  using rule = Rule;
  using bits = Bits;
};

/// A batch by index, as the direct path gets it.
template <class Bits>
struct index_batch {
  std::vector<std::uint32_t> sources, targets;
  std::vector<update_kind> kinds;  ///< empty: all are inserts
  std::vector<Bits> weights;

  [[nodiscard]] update_kind kind(std::size_t i) const { return kinds.empty() ? update_kind::insert : kinds[i]; }
};

/// How a batch is drawn.
struct batch_shape {
  std::size_t size;
  std::uint32_t ids;            ///< are below
  std::uint32_t hub_percent;    ///< updates of the first three vertices
  std::uint32_t erase_percent;  ///< 0: a batch of inserts alone
};

template <class Types>
class grouped_batches : public testing::Test {
 protected:
  using Bits = typename Types::bits;
  using Rule = typename Types::rule;
  using path = detail::direct_path<cpu, Bits, Rule>;

  static constexpr std::size_t most_vertices = 1 << 22;

  void begin(edge_direction direction, self_loops loops, adjacency_policy policy) {
    parts_.emplace(res_, policy);
    edges_.clear();
    vertices_.clear();
    index_count_ = 0;
    direction_ = direction;
    loops_ = loops;
  }

  index_batch<Bits> draw(const batch_shape& shape) {
    index_batch<Bits> batch;
    for (std::size_t i = 0; i < shape.size; ++i) {
      const bool hub = random_.below(100) < shape.hub_percent;
      const auto u = static_cast<std::uint32_t>(hub ? random_.below(3) : random_.below(shape.ids));
      const auto v = static_cast<std::uint32_t>(random_.below(20) == 0 ? u : random_.below(shape.ids));
      const std::size_t times = random_.below(10) == 0 ? 3 : 1;
      for (std::size_t k = 0; k < times && batch.sources.size() < shape.size; ++k) add(batch, u, v, shape);
    }
    return batch;
  }

  /// Gives the pool more memory than it will need.
  void map_memory() { parts_->pool.expect(std::size_t{1} << 24); }

  /// Inserts of so many different edges from each of the first vertices to some below `ids`; some come twice.
  index_batch<Bits> inserts_by_source(std::initializer_list<std::uint32_t> counts, std::uint32_t ids) {
    index_batch<Bits> batch;
    std::uint32_t u = 0;
    for (const std::uint32_t count : counts) {
      std::set<std::uint32_t> targets;
      while (targets.size() < count) targets.insert(static_cast<std::uint32_t>(random_.below(ids)));
      for (const std::uint32_t v : targets) {
        for (std::uint64_t times = random_.below(8) == 0 ? 2 : 1; times != 0; --times) add(batch, u, v, {});
      }
      ++u;
    }
    return batch;
  }

  /// Updates of edges from vertex 0 to `count` vertices from `first` on.
  index_batch<Bits> edges_of_one(std::uint32_t first, std::uint32_t count, update_kind kind) {
    index_batch<Bits> batch;
    for (std::uint32_t v = first; v < first + count; ++v) {
      batch.sources.push_back(0);
      batch.targets.push_back(v);
      batch.kinds.push_back(kind);
      if constexpr (!is_none<Bits>) batch.weights.push_back(static_cast<Bits>(random_.below(1000)));
    }
    return batch;
  }

  /// Applies a batch here and to the map, and compares all there is. @return how it was grouped
  grouping apply(const index_batch<Bits>& batch) {
    const Bits* weights = is_none<Bits> ? nullptr : batch.weights.data();
    const detail::edge_updates updates{
        {batch.sources.data(), batch.targets.data(), batch.kinds.empty() ? nullptr : batch.kinds.data(),
         update_kind::insert, batch.sources.size()},
        direction_,
        loops_,
        false};
    const auto made = parts_->direct.apply(res_, updates, weights, index_count_, parts_->view(vertices_.size()));
    const std::vector<std::uint64_t> outcomes = expect(batch);
    EXPECT_TRUE(made.has_value());
    if (!made) return Rule::usual;
    index_count_ = made->index_count;
    for (std::uint32_t kind = 1; kind < outcomes.size(); ++kind) {
      EXPECT_EQ(made->outcomes.of(static_cast<edge_outcome>(kind)), outcomes[kind]) << "outcome " << kind;
    }
    EXPECT_EQ(made->vertices_created, outcomes[0]);
    const auto found = neighbors();
    const std::vector<std::pair<edge, std::uint64_t>> expected(edges_.begin(), edges_.end());
    EXPECT_EQ(found, expected);
    return parts_->direct.last_grouping();
  }

  void expect_hubs() { parts_->direct.expect_hubs(); }

  [[nodiscard]] std::size_t bytes_in_use() const { return parts_->pool.bytes_in_use(); }

  /// Memory that the path keeps between batches, beside the graph's.
  [[nodiscard]] std::size_t bytes_kept() const { return parts_->direct.bytes(); }

  seeded_random random_;

 private:
  using edge = std::pair<std::uint32_t, std::uint32_t>;
  using edge_map = std::map<edge, std::uint64_t>;

  struct dictionary {
    growable_array<cpu, detail::vertex_entry> entries;
    growable_array<cpu, std::uint32_t> present;
    slab_pool<cpu> pool;
    path direct;
    detail::adjacency_rule rule;

    dictionary(const cpu_resources& res, adjacency_policy policy)
        : entries(res, most_vertices),
          present(res, most_vertices),
          pool(res),
          direct(res, most_vertices),
          rule{policy} {}

    detail::graph_parts<cpu> view(std::uint64_t vertices) { return {entries, present, pool, rule, vertices}; }
  };

  void add(index_batch<Bits>& batch, std::uint32_t u, std::uint32_t v, const batch_shape& shape) {
    batch.sources.push_back(u);
    batch.targets.push_back(v);
    if (shape.erase_percent != 0) {
      batch.kinds.push_back(random_.below(100) < shape.erase_percent ? update_kind::erase : update_kind::insert);
    }
    if constexpr (!is_none<Bits>) batch.weights.push_back(static_cast<Bits>(random_.below(1000)));
  }

  /// Updates the map. @return vertices that come to be, then edges inserted, overwritten and erased
  std::vector<std::uint64_t> expect(const index_batch<Bits>& batch) {
    std::vector<std::uint64_t> outcomes(4);
    const std::size_t vertices_before = vertices_.size();
    std::map<edge, std::size_t> last;
    for (std::size_t i = 0; i < batch.sources.size(); ++i) {
      const auto [u, v] = edge{batch.sources[i], batch.targets[i]};
      if (u == v && loops_ == self_loops::drop) continue;
      last[direction_ == edge_direction::directed ? edge{u, v} : edge{std::min(u, v), std::max(u, v)}] = i;
      if (batch.kind(i) == update_kind::insert) vertices_.insert({u, v});
    }
    for (const auto& [named, i] : last) ++outcomes[static_cast<int>(change(named, batch, i))];
    outcomes[0] = vertices_.size() - vertices_before;
    return outcomes;
  }

  edge_outcome change(const edge& named, const index_batch<Bits>& batch, std::size_t i) {
    const edge back = direction_ == edge_direction::directed ? named : edge{named.second, named.first};
    const bool known = edges_.count(named) != 0;
    if (batch.kind(i) == update_kind::erase) {
      edges_.erase(named);
      edges_.erase(back);
      return known ? edge_outcome::erase : edge_outcome{};
    }
    std::uint64_t weight = 0;
    if constexpr (!is_none<Bits>) weight = batch.weights[i];
    edges_[named] = edges_[back] = weight;
    return known ? edge_outcome::overwrite : edge_outcome::insert;
  }

  /// All there are, in order: a map would take longer than a batch.
  [[nodiscard]] std::vector<std::pair<edge, std::uint64_t>> neighbors() {
    const detail::adjacency_view<Bits> view{parts_->entries.data(), parts_->pool.base(), index_count_};
    std::vector<std::pair<edge, std::uint64_t>> found;
    for (std::uint32_t u = 0; u < index_count_; ++u) {
      view.for_each_neighbor(cpu_tile<1>(), u, [&](std::uint32_t v, const Bits* weight) {
        std::uint64_t value = 0;
        if constexpr (!is_none<Bits>) value = *weight;
        found.push_back({{u, v}, value});
      });
      if (detail::entry_layout<Bits>::kind(view.entries[u]) != detail::adjacency_kind::hash) continue;
      std::uint32_t keys = 0;
      EXPECT_EQ(unreachable_keys(view.table_of(view.entries[u]), keys), 0U) << "neighbours of " << u;
      EXPECT_EQ(keys, view.entries[u].degree);
    }
    std::ranges::sort(found);
    const auto twice = std::ranges::adjacent_find(found, {}, &std::pair<edge, std::uint64_t>::first);
    EXPECT_EQ(twice, found.end()) << twice->first.first << " has " << twice->first.second << " twice";
    return found;
  }

  cpu_resources res_{2};
  std::optional<dictionary> parts_;
  edge_map edges_;
  std::set<std::uint32_t> vertices_;
  std::uint32_t index_count_ = 0;
  edge_direction direction_{};
  self_loops loops_{};
};

using all_ways =
    testing::Types<grouping_types<through_bins, none>, grouping_types<through_bins, std::uint32_t>,
                   grouping_types<chained_at_once, none>, grouping_types<chained_at_once, std::uint32_t>,
                   grouping_types<chained_two_a_lane, none>, grouping_types<chained_two_a_lane, std::uint32_t>,
                   grouping_types<chained_by_blocks, none>, grouping_types<chained_by_blocks, std::uint32_t>,
                   grouping_types<sorted_by_blocks, none>, grouping_types<sorted_by_blocks, std::uint32_t>,
                   grouping_types<through_full_bins, none>, grouping_types<through_full_bins, std::uint32_t>,
                   grouping_types<sorted_by_threads, none>, grouping_types<sorted_by_threads, std::uint32_t>,
                   grouping_types<chained, none>, grouping_types<chained, std::uint32_t>>;
TYPED_TEST_SUITE(grouped_batches, all_ways);

TYPED_TEST(grouped_batches, even_ones_go_the_usual_way) {
  for (const auto direction : {edge_direction::undirected, edge_direction::directed}) {
    for (const auto loops : {self_loops::drop, self_loops::keep}) {
      this->begin(direction, loops, adjacency_policy::by_degree);
      this->apply(this->draw({.size = 2000, .ids = 3000, .hub_percent = 0, .erase_percent = 0}));
      for (const std::uint32_t erase_percent : {0, 30, 80, 0}) {
        const auto batch = this->draw({.size = 5000, .ids = 3000, .hub_percent = 0, .erase_percent = erase_percent});
        EXPECT_EQ(this->apply(batch), TypeParam::rule::usual);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TYPED_TEST(grouped_batches, take_memory_for_each_vertex_only_by_chains) {
  this->begin(edge_direction::directed, self_loops::keep, adjacency_policy::by_degree);
  const std::size_t before = this->bytes_kept();
  bool chained = false;
  for (int turn = 0; turn < 3; ++turn) {
    const auto way = this->apply(this->draw({.size = 4000, .ids = 3000, .hub_percent = 0, .erase_percent = 0}));
    chained = chained || way == grouping::chains;
    EXPECT_EQ(this->bytes_kept() > before, chained);
  }
}

TYPED_TEST(grouped_batches, hubs_and_growing_dictionaries) {
  for (const auto policy : {adjacency_policy::by_degree, adjacency_policy::hash}) {
    this->begin(edge_direction::directed, self_loops::keep, policy);
    std::uint32_t ids = 2000;
    this->apply(this->draw({.size = 4000, .ids = ids, .hub_percent = 30, .erase_percent = 0}));
    for (const std::uint32_t erase_percent : {0, 20, 0, 60, 90, 10}) {
      this->apply(this->draw({.size = 12000, .ids = ids, .hub_percent = 30, .erase_percent = erase_percent}));
      if (testing::Test::HasFailure()) return;
      ids += 4000;
    }
  }
}

/// Tables that scratch of a part of a tile has room for, of a whole tile, and of none; and back to arrays.
TYPED_TEST(grouped_batches, tables_of_all_sizes_grow_and_shrink) {
  for (const std::uint32_t degree : {20U, 700U, 9'500U, 13'000U}) {
    this->begin(edge_direction::directed, self_loops::keep, adjacency_policy::by_degree);
    if (degree > 1000) this->map_memory();  // so that large tables move where nothing else delays the batch
    for (std::uint32_t first = 1; first <= degree; first += 4000) {
      this->apply(this->edges_of_one(first, std::min(4000U, degree + 1 - first), update_kind::insert));
    }
    std::uint32_t next = degree + 1;
    for (int round = 0; round < 200; ++round, next += 30) {
      this->apply(this->edges_of_one(next, 30, update_kind::insert));
      if (testing::Test::HasFailure()) return;
    }
    const std::uint32_t left = degree < 1000 ? 9 : next - 600;
    for (std::uint32_t first = 1; first + left < next; first += 30) {
      this->apply(this->edges_of_one(first, std::min(30U, next - left - first), update_kind::erase));
      this->apply(this->edges_of_one(next - 1, 1, update_kind::insert));
      if (testing::Test::HasFailure()) return;
    }
  }
}

/// The first batch after one that was built at once and had hubs: bins would turn out too small.
TYPED_TEST(grouped_batches, expected_hubs_are_not_dealt_out) {
  this->begin(edge_direction::directed, self_loops::keep, adjacency_policy::by_degree);
  this->expect_hubs();
  EXPECT_NE(this->apply(this->draw({.size = 4000, .ids = 3000, .hub_percent = 0, .erase_percent = 0})), grouping::bins);
  const auto batch = this->draw({.size = 4000, .ids = 3000, .hub_percent = 0, .erase_percent = 0});
  EXPECT_EQ(this->apply(batch), TypeParam::rule::usual) << "but there were none";
}

/// Neighbours that get all updates: bins for ranges of vertices turn out too small, others do not.
TYPED_TEST(grouped_batches, crowded_ranges_are_spread) {
  constexpr auto usual = TypeParam::rule::usual;
  this->begin(edge_direction::directed, self_loops::keep, adjacency_policy::by_degree);
  this->apply(this->draw({.size = 4000, .ids = 3000, .hub_percent = 0, .erase_percent = 0}));
  const batch_shape crowded{.size = 4000, .ids = 800, .hub_percent = 0, .erase_percent = 30};
  EXPECT_NE(this->apply(this->draw(crowded)), grouping::bins);
  for (int round = 0; round < 3; ++round) {
    const auto batch = this->draw(crowded);
    EXPECT_EQ(this->apply(batch), usual == grouping::bins ? grouping::spread_bins : usual);
    if (testing::Test::HasFailure()) return;
  }
}

/// Some ways take larger arrays for edges that may be new, and have to give back those that were not needed.
TYPED_TEST(grouped_batches, edges_that_are_there_keep_no_memory) {
  for (const std::uint32_t erase_percent : {0, 30}) {
    this->begin(edge_direction::directed, self_loops::keep, adjacency_policy::by_degree);
    const auto batch = this->draw({.size = 4000, .ids = 500, .hub_percent = 0, .erase_percent = erase_percent});
    for (int round = 0; round < 3; ++round) this->apply(batch);
    const std::size_t in_use = this->bytes_in_use();
    for (int round = 0; round < 5; ++round) {
      this->apply(batch);
      EXPECT_EQ(this->bytes_in_use(), in_use);
      if (testing::Test::HasFailure()) return;
    }
  }
}

/// Far more vertices than updates.
TYPED_TEST(grouped_batches, scattered_ones) {
  for (const auto direction : {edge_direction::undirected, edge_direction::directed}) {
    this->begin(direction, self_loops::keep, adjacency_policy::by_degree);
    this->apply(this->draw({.size = 2000, .ids = 1 << 18, .hub_percent = 0, .erase_percent = 0}));
    for (const std::uint32_t erase_percent : {0, 30, 80}) {
      const batch_shape shape{.size = 6000, .ids = 1 << 18, .hub_percent = 0, .erase_percent = erase_percent};
      EXPECT_EQ(this->apply(this->draw(shape)), TypeParam::rule::usual);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TYPED_TEST(grouped_batches, small_ones) {
  this->begin(edge_direction::undirected, self_loops::drop, adjacency_policy::by_degree);
  for (int round = 0; round < 60; ++round) {
    const std::size_t size = 1 + this->random_.below(200);
    this->apply(this->draw({.size = size, .ids = 300, .hub_percent = 10, .erase_percent = 30}));
    if (testing::Test::HasFailure()) return;
  }
}

/// Sorting takes vertices with tables for hubs from a few updates on. Those are no reason to sort the next batch, too.
using batches_dealt_out_or_sorted = grouped_batches<grouping_types<through_bins_or_sorted, none>>;
TEST_F(batches_dealt_out_or_sorted, vertices_with_tables_and_few_updates_are_dealt_out) {
  begin(edge_direction::directed, self_loops::keep, adjacency_policy::by_degree);
  const batch_shape shape{.size = 4000, .ids = 600, .hub_percent = 0, .erase_percent = 0};
  for (int round = 0; round < 8; ++round) apply(draw(shape));
  expect_hubs();
  EXPECT_EQ(apply(draw(shape)), grouping::sort);
  EXPECT_EQ(apply(draw(shape)), grouping::bins);
}

/// Batches with hubs are dealt out to bins for such ones, once it is known that there are some.
template <class Types>
class batches_with_hubs : public grouped_batches<Types> {
 protected:
  /// Begins with so many even updates.
  void begin_with(edge_direction direction, std::size_t size, std::uint32_t ids) {
    this->begin(direction, self_loops::keep, adjacency_policy::by_degree);
    this->apply(this->draw({.size = size, .ids = ids, .hub_percent = 0, .erase_percent = 0}));
    this->expect_hubs();
  }

  /// Batches of a shape, which erase so much.
  void expect_full_bins(batch_shape shape, std::initializer_list<std::uint32_t> erase_percents) {
    for (const std::uint32_t erase_percent : erase_percents) {
      shape.erase_percent = erase_percent;
      EXPECT_EQ(this->apply(this->draw(shape)), grouping::full_bins);
      if (testing::Test::HasFailure()) return;
    }
  }
};
using full_bins_types =
    testing::Types<grouping_types<through_full_bins, none>, grouping_types<through_full_bins, std::uint32_t>>;
TYPED_TEST_SUITE(batches_with_hubs, full_bins_types);

TYPED_TEST(batches_with_hubs, are_dealt_out_to_full_bins) {
  for (const auto direction : {edge_direction::undirected, edge_direction::directed}) {
    this->begin_with(direction, 2000, 3000);
    this->expect_full_bins({.size = 6000, .ids = 3000, .hub_percent = 20, .erase_percent = 0}, {0, 0, 30, 80, 0});
  }
}

/// Three vertices, each with more updates than a tile has room for.
TYPED_TEST(batches_with_hubs, have_giants) {
  this->begin_with(edge_direction::directed, 4000, 12'000);
  this->expect_full_bins({.size = 40'000, .ids = 12'000, .hub_percent = 60, .erase_percent = 0}, {0, 20, 0, 60});
}

/// As many inserts into a table as a run has at most there, some more and some less: as a run, or as a hub's.
TYPED_TEST(batches_with_hubs, insert_into_a_table_as_much_as_a_run_has) {
  constexpr std::uint32_t ids = 4000;
  for (const auto policy : {adjacency_policy::by_degree, adjacency_policy::hash}) {
    this->begin(edge_direction::directed, self_loops::keep, policy);
    this->expect_hubs();
    this->apply(this->inserts_by_source({200, 900, 40, 0, 100}, ids));
    for (const std::uint32_t count : {31U, 32U, 33U, 40U, 47U, 48U, 49U, 64U, 65U}) {
      const auto batch = this->inserts_by_source({count, count, count, count, 100}, ids);
      EXPECT_EQ(this->apply(batch), grouping::full_bins);
      if (testing::Test::HasFailure()) return;
    }
    for (int batch = 0; batch < 3; ++batch) {
      EXPECT_EQ(this->apply(this->inserts_by_source({40, 40, 40}, ids)), grouping::full_bins) << "too long for bins";
    }
  }
}

/// One vertex has more inserts than a tile has room for, batch after batch, but fewer than neighbours: once nothing has
/// been found out about hubs for some batches, who sets it apart has to empty the table that names its edges.
TYPED_TEST(batches_with_hubs, insert_into_a_giant_of_which_nothing_is_found_out) {
  constexpr std::uint32_t ids = 60'000;
  this->begin_with(edge_direction::directed, 4000, ids);
  for (int batch = 0; batch < 14; ++batch) {
    EXPECT_EQ(this->apply(this->inserts_by_source({5000, 40, 60}, ids)), grouping::full_bins);
    if (testing::Test::HasFailure()) return;
  }
}

/// So many vertices that bins have many more of them than updates; three have more updates than a tile has room for.
TYPED_TEST(batches_with_hubs, name_few_of_very_many_vertices) {
  constexpr std::uint32_t ids = 2'200'000;
  ASSERT_EQ(detail::bin_format::for_hubs(ids, 60'000, 60'000, 30, 60'000).kind, detail::hub_bins::sparse);
  this->begin_with(edge_direction::directed, 4000, ids);
  this->expect_full_bins({.size = 60'000, .ids = ids, .hub_percent = 30, .erase_percent = 0}, {0, 20, 0, 60});
}

/// A bin with more updates than can be counted: batches are sorted then, for as long as that lasts.
TYPED_TEST(batches_with_hubs, have_too_large_giants) {
  this->begin_with(edge_direction::directed, 4000, 70'001);
  EXPECT_EQ(this->apply(this->edges_of_one(1, 70'000, update_kind::insert)), grouping::sort);
  EXPECT_EQ(this->apply(this->edges_of_one(1, 70'000, update_kind::erase)), grouping::sort);
  EXPECT_EQ(this->apply(this->draw({.size = 6000, .ids = 3000, .hub_percent = 0, .erase_percent = 0})), grouping::sort);
  EXPECT_EQ(this->apply(this->draw({.size = 6000, .ids = 300, .hub_percent = 20, .erase_percent = 0})), grouping::sort);
  EXPECT_EQ(this->apply(this->draw({.size = 6000, .ids = 300, .hub_percent = 20, .erase_percent = 0})),
            grouping::full_bins);
}

}  // namespace

}  // namespace mangrove::test
