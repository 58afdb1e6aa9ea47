#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "build_batch.hpp"
#include "direct_path.hpp"
#include "graph_core.hpp"
#include "preview_batch.hpp"
#include "staged_batch.hpp"
#include "vertex_removal.hpp"

namespace mangrove::detail {

/// All of a graph but its public face: sends each batch the way that suits it.
template <backend B, class Vertex, class Weight>
class graph_state {
 public:
  using core_type = graph_core<B, Vertex, Weight>;
  using batch_type = typename core_type::batch_type;
  using bits = typename core_type::bits;

  graph_state(const resources<B>& res, const graph_options& options)
      : core_(res, options), direct_(res, max_vertices) {}

  /// Maps memory for so many directed edges in all. @throws memory_error
  void reserve(std::uint64_t directed_edges) {
    constexpr std::uint64_t bytes = sizeof(vertex_index) + (is_none<Weight> ? 0 : sizeof(bits));
    constexpr std::uint64_t beyond_all = std::uint64_t{1} << 48;  // more is refused as well
    core_.store.pool().reserve(std::min(directed_edges, beyond_all) * bytes * 3 / 2);
  }

  /// Applies a batch the shortest way that suits it.
  /// @param last_of_range dense ids only: vertices 1 to this come to be before the batch; 0 for none
  update_counts apply(const resources<B>& res, const batch_type& batch, std::uint32_t last_of_range = 0) {
    if (batch.size != 0 && batch.size <= core_type::max_batch) {
      std::optional<update_counts> counts;
      if (all_are(batch, update_kind::erase_vertex)) {
        counts = remove(res, batch);
      } else if (all_are(batch, update_kind::insert) && batch.size >= bulk_from && core_.store.directed_edges() == 0) {
        counts = build(res, batch, last_of_range);
      } else if (last_of_range == 0 && may_go_directly(batch)) {
        counts = change_directly(res, batch);
      }
      if (counts) return *counts;
    }
    graph_change<B> change = prepare(res, batch, last_of_range);
    return commit(res, change);
  }

  graph_change<B> prepare(const resources<B>& res, const batch_type& batch, std::uint32_t last_of_range = 0) {
    return staged::prepare(core_, res, batch, last_of_range);
  }

  update_counts commit(const resources<B>& res, graph_change<B>& change) { return staged::commit(core_, res, change); }

  /// What a batch would do to edges, if `apply` takes the direct path for it.
  std::optional<graph_change<B>> preview(const resources<B>& res, const batch_type& batch) const {
    const bool suits = !core_.ids && batch.size != 0 && batch.size <= core_type::max_batch && may_go_directly(batch);
    return suits ? preview_batch(core_, res, batch) : std::nullopt;
  }

  [[nodiscard]] const graph_options& options() const noexcept { return core_.options; }
  [[nodiscard]] const adjacency_store<B, bits>& store() const noexcept { return core_.store; }
  [[nodiscard]] const vertex_presence<B>& presence() const noexcept { return core_.presence; }
  [[nodiscard]] const std::optional<sparse_ids<B, Vertex>>& ids() const noexcept { return core_.ids; }
  [[nodiscard]] std::uint64_t edge_count() const noexcept { return core_.edge_count; }
  [[nodiscard]] std::uint32_t index_count() const noexcept { return core_.index_count; }

 private:
  using staged = staged_batch<B, Vertex, Weight>;

  /// Inserts from which an empty graph is built in bulk.
  static constexpr std::size_t bulk_from = std::size_t{1} << 14;

  static bool all_are(const batch_type& batch, update_kind kind) {
    return batch.kinds == nullptr && batch.kind == kind;
  }

  std::optional<update_counts> build(const resources<B>& res, const batch_type& batch, std::uint32_t last_of_range) {
    const std::optional<built_batch> built = build_batch(core_, res, batch, last_of_range);
    if (!built) return {};
    if (built->has_hubs) direct_.expect_hubs();
    return built->counts;
  }

  /// Erases vertices, where ids are indices.
  std::optional<update_counts> remove(const resources<B>& res, const batch_type& batch) {
    if (core_.ids) return {};
    const translated_updates<B> translated = core_.translate_as_known(res, batch);
    ++core_.epoch;
    const removal_result removed = remove_vertices<B, bits>(
        res, {translated.updates.sources, batch.size, options().direction, options().loops, core_.index_count},
        core_.store.entries(), core_.store.pool(), core_.presence.words());
    core_.store.count(0, removed.directed);
    core_.presence.count_erased(removed.vertices);
    core_.edge_count -= removed.detached;
    update_counts counts;
    counts.detached = removed.detached;
    counts.vertices_erased = removed.vertices;
    return counts;
  }

  /// Whether the direct path may suit: not if it is known that vertices are named.
  [[nodiscard]] bool may_go_directly(const batch_type& batch) const {
    return options().adjacency != adjacency_policy::tree && (batch.kinds != nullptr || names_edge(batch.kind));
  }

  std::optional<update_counts> change_directly(const resources<B>& res, const batch_type& batch) {
    const translated_updates<B> translated = core_.translate_as_known(res, batch);
    const bool names_new = core_.ids && !core_.ids->assigned().empty();
    const edge_updates updates{translated.updates, options().direction, options().loops, names_new};
    const auto applied =
        direct_.apply(res, updates, core_type::weights_of(batch), std::max(core_.index_count, translated.index_count),
                      {core_.store.entries(), core_.presence.words(), core_.store.pool(), adjacency_rule::of(options()),
                       core_.presence.count()});
    if (!applied) return {};
    return book(batch.size, *applied);
  }

  update_counts book(std::size_t updates, const typename direct_path<B, bits>::result& applied) {
    ++core_.epoch;
    const outcome_counts& outcomes = applied.outcomes;
    update_counts counts = counts_of(outcomes, updates);
    counts.vertices_inserted = applied.vertices_created;
    core_.store.count(outcomes.directed_of(edge_outcome::insert), outcomes.directed_of(edge_outcome::erase));
    core_.presence.count_created(applied.vertices_created);
    core_.edge_count += counts.inserted - counts.erased;
    core_.index_count = applied.index_count;
    if (core_.ids) core_.ids->settle({});
    return counts;
  }

  core_type core_;
  direct_path<B, bits> direct_;
};

}  // namespace mangrove::detail
