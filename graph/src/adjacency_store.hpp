#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "array_commit.hpp"
#include "edge_sort.hpp"
#include "mangrove/core/growable_array.hpp"
#include "outcome.hpp"
#include "table_commit.hpp"
#include "tree_batch.hpp"

namespace mangrove::detail {

/// Tile widths of the launches; the same bodies run with any.
inline constexpr int probe_width = 8;  ///< looks one key up in a slab
inline constexpr int slab_width = 32;  ///< works on a whole slab

/// Neighbours of all vertices: the dictionary and the pool its extents come from.
template <backend B, class Bits>
class adjacency_store {
 public:
  /// All that applying a batch needs besides the net edges. Everything in it is allocated before anything is changed.
  struct plan {
    buffer<B, Bits> weights;  ///< per edge; empty without weights
    buffer<B, std::uint32_t> starts;
    buffer<B, vertex_plan> vertices;
    buffer<B, std::uint32_t> new_tables;  ///< which of `vertices` get a new table
    buffer<B, std::uint64_t> old_slabs;   ///< offsets by new table: slabs of the table or tree it replaces
    buffer<B, std::uint64_t> new_slabs;   ///< offsets by new table: its slabs
    buffer<B, std::uint64_t> before;      ///< with trees: changes in front of each change
    tree_batch<B, Bits> trees;
    std::size_t vertex_count = 0;
    std::size_t new_table_count = 0;
    std::size_t old_slab_count = 0;
    std::size_t new_slab_count = 0;
    std::uint32_t index_count = 0;
    outcome_counts outcomes{};
    std::optional<typename slab_pool<B>::grant> granted;
  };

  adjacency_store(const resources<B>& res, const adjacency_rule& rule, std::size_t max_vertices)
      : rule_(rule), entries_(res, max_vertices, read_beyond), pool_(res) {}

  [[nodiscard]] adjacency_view<Bits> view() const noexcept {
    return {entries_.data(), pool_.base(), static_cast<std::uint32_t>(entries_.size())};
  }
  [[nodiscard]] std::uint64_t directed_edges() const noexcept { return directed_edges_; }
  [[nodiscard]] const growable_array<B, vertex_entry>& entries() const noexcept { return entries_; }
  [[nodiscard]] const slab_pool<B>& pool() const noexcept { return pool_; }

  /// For batches that change the adjacencies themselves, and then say by how many directed edges.
  [[nodiscard]] growable_array<B, vertex_entry>& entries() noexcept { return entries_; }
  [[nodiscard]] slab_pool<B>& pool() noexcept { return pool_; }
  void count(std::uint64_t inserted, std::uint64_t erased) noexcept { directed_edges_ += inserted - erased; }

  /// Decides what the batch comes to and secures memory for it. `change` gets the net edges.
  /// @param weights the batch's, or null
  /// @throws memory_error with the store as it was
  plan prepare(const resources<B>& res, const last_updates<B>& last, const indexed_updates& updates,
               const vertex_erasures& erasures, const Bits* weights, edge_direction direction,
               std::uint32_t index_count, graph_change<B>& change) {
    plan made;
    made.index_count = index_count;
    take_effective(res, last, updates, erasures, weights, direction, made, change);
    if (change.size() != 0) plan_vertices(res, made, change);
    entries_.reserve(index_count);
    return made;
  }

  /// Decides what a batch of edge updates would come to. `change` gets the net edges.
  outcome_counts preview(const resources<B>& res, const last_updates<B>& last, const indexed_updates& updates,
                         const Bits* weights, edge_direction direction, graph_change<B>& change) const {
    plan made;
    take_effective(res, last, updates, {}, weights, direction, made, change);
    return made.outcomes;
  }

  /// Applies what was prepared. Allocates nothing.
  void commit(const resources<B>& res, plan& made, const graph_change<B>& change) {
    entries_.grow(made.index_count);
    if (change.size() == 0) return;
    const vertex_changes<Bits> changes = changes_of(made, change);
    commit_old_tables(res, made, changes);
    fill_new_tables(res, made, changes);
    if (!made.trees.empty()) made.trees.change(res, made.granted->ref());
    for_each_tile<1>(res, made.vertex_count, publish_tables{made.vertices.data(), entries_.data()});
    for_each_tile<1>(res, made.vertex_count,
                     merge_array<Bits>{view(), made.vertices.data(), made.starts.data(), made.vertex_count, changes});
    if (made.outcomes.directed_of(edge_outcome::insert) != 0) {
      for_each_scattered<probe_width>(
          res, change.size(), insert_in_tables<Bits>{{view(), changes.edges, changes.actions, changes.weights}});
    }
    for_each_tile<1>(res, made.vertex_count, give_extent{made.vertices.data(), made.granted->ref()});
    pool_.commit(*made.granted);
    directed_edges_ += made.outcomes.directed_of(edge_outcome::insert) - erases(made);
  }

 private:
  /// The changes of all vertices.
  [[nodiscard]] static vertex_changes<Bits> changes_of(const plan& made, const graph_change<B>& change) {
    return {change.edges.data(), change.actions.data(), made.weights.data(), 0, change.size()};
  }

  [[nodiscard]] static std::uint64_t erases(const plan& made) {
    return made.outcomes.directed_of(edge_outcome::erase) + made.outcomes.directed_of(edge_outcome::detach);
  }

  void take_effective(const resources<B>& res, const last_updates<B>& last, const indexed_updates& updates,
                      const vertex_erasures& erasures, const Bits* weights, edge_direction direction, plan& made,
                      graph_change<B>& change) const {
    buffer<B, edge_outcome> outcomes(res, last.size);
    buffer<B, std::uint8_t> effective(res, last.size);
    buffer<B, std::uint32_t> kept(res, last.size);
    const decide_outcome<Bits> decide{
        view(), updates, erasures, last.edges.data(), last.sequences.data(), outcomes.data(), effective.data()};
    if (directed_edges_ == 0) {
      for_each_tile<1>(res, last.size, decide);  // there is nothing to probe
    } else {
      for_each_tile<probe_width>(res, last.size, decide);
    }
    made.outcomes = count(res, outcomes, last.edges.data(), direction);
    const std::size_t size = select(res, effective.data(), kept.data(), last.size);
    change.edges = buffer<B, std::uint64_t>(res, size);
    change.actions = buffer<B, edge_action>(res, size);
    if constexpr (!is_none<Bits>) made.weights = buffer<B, Bits>(res, size);
    for_each_tile<1>(res, size,
                     gather_effective<Bits>{kept.data(), last.edges.data(), outcomes.data(), last.sequences.data(),
                                            weights, change.edges.data(), change.actions.data(), made.weights.data()});
  }

  static outcome_counts count(const resources<B>& res, const buffer<B, edge_outcome>& outcomes,
                              const std::uint64_t* edges, edge_direction direction) {
    buffer<B, outcome_counts> totals(res, 1);
    fill_bytes(res, totals.data(), 0, 1);
    const std::size_t stretches = (outcomes.size() + count_outcomes::stretch - 1) / count_outcomes::stretch;
    for_each_task<slab_width>(res, stretches,
                              count_outcomes{outcomes.data(), edges, outcomes.size(), direction, totals.data()});
    return read_back(res, totals.data());
  }

  void plan_vertices(const resources<B>& res, plan& made, const graph_change<B>& change) {
    const std::size_t size = change.size();
    buffer<B, std::uint8_t> starts(res, size);
    buffer<B, std::uint64_t> changes(res, size);
    buffer<B, std::uint64_t> changes_before(res, size + 1);
    for_each_tile<1>(res, size,
                     mark_vertices{change.edges.data(), change.actions.data(), starts.data(), changes.data()});
    exclusive_scan(res, changes.data(), changes_before.data(), size);
    made.starts = buffer<B, std::uint32_t>(res, size);
    made.vertex_count = select(res, starts.data(), made.starts.data(), size);
    made.vertices = buffer<B, vertex_plan>(res, made.vertex_count);
    buffer<B, std::uint8_t> new_table(res, made.vertex_count);
    buffer<B, plan_totals> totals(res, 1);
    fill_bytes(res, totals.data(), 0, 1);
    for_each_tile<1>(res, made.vertex_count,
                     plan_vertex<Bits>{view(), layout_policy<Bits>(rule_), change.edges.data(), changes_before.data(),
                                       made.starts.data(), made.vertex_count, size, made.vertices.data(),
                                       new_table.data(), totals.data()});
    plan_new_tables(res, made, new_table);
    plan_totals seen = read_back(res, totals.data());
    if (seen.trees != 0) {
      made.before = std::move(changes_before);
      made.trees.prepare(res,
                         {view(), made.vertices.data(), made.starts.data(), made.vertex_count, changes_of(made, change),
                          made.before.data()},
                         totals.data());
      seen = read_back(res, totals.data());
      made.trees.add_to(seen.demand);
    }
    made.granted.emplace(pool_.prepare(res, seen.demand));
  }

  static void plan_new_tables(const resources<B>& res, plan& made, const buffer<B, std::uint8_t>& new_table) {
    made.new_tables = buffer<B, std::uint32_t>(res, made.vertex_count);
    made.new_table_count = select(res, new_table.data(), made.new_tables.data(), made.vertex_count);
    if (made.new_table_count == 0) return;
    const std::size_t rows = made.new_table_count;
    buffer<B, std::uint64_t> old_slabs(res, rows);
    buffer<B, std::uint64_t> new_slabs(res, rows);
    for_each_tile<1>(
        res, rows, count_slabs<Bits>{made.new_tables.data(), made.vertices.data(), old_slabs.data(), new_slabs.data()});
    made.old_slabs = buffer<B, std::uint64_t>(res, rows + 1);
    made.new_slabs = buffer<B, std::uint64_t>(res, rows + 1);
    exclusive_scan(res, old_slabs.data(), made.old_slabs.data(), rows);
    exclusive_scan(res, new_slabs.data(), made.new_slabs.data(), rows);
    made.old_slab_count = read_back(res, made.old_slabs.data() + rows);
    made.new_slab_count = read_back(res, made.new_slabs.data() + rows);
  }

  void commit_old_tables(const resources<B>& res, const plan& made, const vertex_changes<Bits>& changes) {
    const std::uint64_t touched =
        erases(made) + (is_none<Bits> ? 0 : made.outcomes.directed_of(edge_outcome::overwrite));
    if (touched == 0) return;
    for_each_tile<probe_width>(res, changes.last,
                               change_in_tables<Bits>{{view(), changes.edges, changes.actions, changes.weights}});
  }

  void fill_new_tables(const resources<B>& res, plan& made, const vertex_changes<Bits>& changes) {
    for_each_tile<1>(res, made.vertex_count, assign_extent{made.vertices.data(), made.granted->ref()});
    const std::size_t rows = made.new_table_count;
    const std::uint32_t* const tables = made.new_tables.data();
    for_each_tile<slab_width>(res, made.new_slab_count,
                              clear_new_slab<Bits>{view(), tables, made.vertices.data(), made.new_slabs.data(), rows});
    for_each_tile<slab_width>(res, made.old_slab_count,
                              move_old_slab<Bits>{view(), tables, made.vertices.data(), made.old_slabs.data(), rows});
    for_each_tile<slab_width>(
        res, rows,
        move_old_array<Bits>{view(), tables, made.vertices.data(), made.starts.data(), made.vertex_count, changes});
    if (!made.trees.empty()) made.trees.move_to_tables(res, tables, rows, made.old_slabs.data(), made.old_slab_count);
  }

  /// Eight keys are compared at a time, also in an entry that holds up to three: that reads into the next two entries.
  static constexpr std::size_t read_beyond = 2;

  adjacency_rule rule_;
  growable_array<B, vertex_entry> entries_;
  slab_pool<B> pool_;
  std::uint64_t directed_edges_ = 0;
};

}  // namespace mangrove::detail
