#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "../../graph/src/direct_path.hpp"
#include "support/random.hpp"
#include "support/table_checker.hpp"

/// @file
/// Batches of all shapes, applied without a graph around the dictionary, against a map of edges: every way of grouping
/// one by source, on the CPU, where those of CUDA, whose bodies are for tiles with scratch, run too.

namespace mangrove::test {

using detail::edge_outcome;
using detail::grouping;

inline constexpr std::size_t never = ~std::size_t{0};

/// Rules that lead every batch one way, unless it does not suit.
struct no_way {
  static constexpr std::size_t bins_from = never, sort_from = never, sort_skewed_from = never, full_bins_from = never;
  static constexpr std::size_t at_once_to = 0, singly_to = never;
  static constexpr std::size_t ranges_from = never, ranges_to = never;
  static constexpr int threads = 2;
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
template <int Threads>
struct sorted_in_ranges : sorted_by_threads {
  static constexpr std::size_t ranges_from = 1;
  static constexpr int threads = Threads;
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
  std::vector<update_kind> kinds;  ///< empty: all are of one
  std::vector<Bits> weights;
  update_kind all = update_kind::insert;

  [[nodiscard]] update_kind kind(std::size_t i) const { return kinds.empty() ? all : kinds[i]; }
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
        {batch.sources.data(), batch.targets.data(), batch.kinds.empty() ? nullptr : batch.kinds.data(), batch.all,
         batch.sources.size()},
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

  cpu_resources res_{Rule::threads};
  std::optional<dictionary> parts_;
  edge_map edges_;
  std::set<std::uint32_t> vertices_;
  std::uint32_t index_count_ = 0;
  edge_direction direction_{};
  self_loops loops_{};
};

}  // namespace mangrove::test
