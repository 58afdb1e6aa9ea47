#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>

#include "adjacency_store.hpp"
#include "bulk_build.hpp"
#include "dense_ids.hpp"
#include "detach.hpp"
#include "direct_path.hpp"
#include "mangrove/graph/dynamic_graph.hpp"
#include "presence.hpp"
#include "preview_few.hpp"
#include "sparse_ids.hpp"
#include "stale_ids.hpp"
#include "update_survey.hpp"
#include "vertex_removal.hpp"

namespace mangrove::detail {

/// Unsigned integer of a weight's size, or `none`.
template <class Weight>
using weight_bits =
    std::conditional_t<is_none<Weight>, none, std::conditional_t<sizeof(Weight) == 4, std::uint32_t, std::uint64_t>>;

/// All of a graph but its public face.
template <backend B, class Vertex, class Weight>
class graph_state {
 public:
  using bits = weight_bits<Weight>;
  using store_type = adjacency_store<B, bits>;

  /// What `commit` needs.
  struct plan {
    std::uint64_t number;
    typename store_type::plan edges;
    typename vertex_presence<B>::plan presence;
    buffer<B, std::uint32_t> stale_indices;
  };

  graph_state(const resources<B>& res, const graph_options& options)
      : options_(options),
        store_(res, adjacency_rule::of(options), max_vertices),
        presence_(res, max_vertices),
        direct_(res, max_vertices) {
    if (options.ids == id_space::sparse) ids_.emplace(res);
  }

  /// Maps memory for so many directed edges in all. @throws memory_error
  void reserve(std::uint64_t directed_edges) {
    constexpr std::uint64_t bytes = sizeof(vertex_index) + (is_none<Weight> ? 0 : sizeof(bits));
    constexpr std::uint64_t beyond_all = std::uint64_t{1} << 48;  // more is refused as well
    store_.pool().reserve(std::min(directed_edges, beyond_all) * bytes * 3 / 2);
  }

  /// Applies a batch the shortest way that suits it.
  /// @param last_of_range dense ids only: vertices 1 to this come to be before the batch; 0 for none
  update_counts apply(const resources<B>& res, const batch_view<B, Vertex, Weight>& batch,
                      std::uint32_t last_of_range = 0) {
    if (batch.size != 0 && batch.size <= max_batch) {
      std::optional<update_counts> counts;
      if (all_are(batch, update_kind::erase_vertex)) {
        counts = remove(res, batch);
      } else if (all_are(batch, update_kind::insert) && batch.size >= bulk_from && store_.directed_edges() == 0) {
        counts = build(res, batch, last_of_range);
      } else if (last_of_range == 0 && may_go_directly(batch)) {
        counts = change_directly(res, batch);
      }
      if (counts) return *counts;
    }
    graph_change<B> change = prepare(res, batch, last_of_range);
    return commit(res, change);
  }

  /// @param last_of_range dense ids only: vertices 1 to this come to be before the batch; 0 for none
  graph_change<B> prepare(const resources<B>& res, const batch_view<B, Vertex, Weight>& batch,
                          std::uint32_t last_of_range = 0) {
    if (batch.size > max_batch) {
      throw usage_error("a batch may hold 2^31 updates, not " + std::to_string(batch.size) + "; split it");
    }
    const translated_updates<B> translated = translate(res, batch, last_of_range);
    const indexed_updates& updates = translated.updates;
    const vertex_updates found = vertex_updates_in<B>(res, updates);
    const detachment<B> detached =
        found == vertex_updates::erases ? detach(res, updates, translated.index_count) : detachment<B>{};
    graph_change<B> change;
    auto made = std::make_shared<plan>();
    made->number = plans_made_;
    made->edges =
        store_.prepare(res, edge_sorter<B>(res, options_, translated.index_count).run(updates, detached.edges()),
                       updates, detached.erasures(), reinterpret_cast<const bits*>(batch.weights), options_.direction,
                       translated.index_count, change);
    made->presence = presence_.prepare(res, updates, detached.erasures(), options_.loops, translated.index_count,
                                       found != vertex_updates::none, last_of_range);
    if (ids_) made->stale_indices = find_stale<B>(res, ids_->assigned(), presence_, index_count_, made->presence);
    change.counts = count(res, updates, found, *made);
    change.plan = std::move(made);
    return change;
  }

  /// What a batch would do to edges, if `apply` takes the direct path for it.
  std::optional<graph_change<B>> preview(const resources<B>& res, const batch_view<B, Vertex, Weight>& batch) const {
    if (ids_ || batch.size == 0 || batch.size > max_batch || !may_go_directly(batch)) return {};
    graph_change<B> change;
    if (const auto outcomes = preview_few_of(res, batch, change)) {
      change.counts = counts_of(*outcomes, batch.size);
      return change;
    }
    const id_updates<Vertex> named{batch.sources, batch.targets, batch.kinds, batch.kind, batch.size};
    const translated_updates<B> translated = translate_dense<B>(res, named, index_count_);
    const indexed_updates& updates = translated.updates;
    if (vertex_updates_in<B>(res, updates) != vertex_updates::none) return {};
    const outcome_counts outcomes =
        store_.preview(res, edge_sorter<B>(res, options_, translated.index_count).run(updates, {}), updates,
                       reinterpret_cast<const bits*>(batch.weights), options_.direction, change);
    change.counts = counts_of(outcomes, updates.size);
    return change;
  }

  update_counts commit(const resources<B>& res, graph_change<B>& change) {
    auto* const made = static_cast<plan*>(change.plan.get());
    if (made == nullptr || made->number != plans_made_) {
      throw usage_error("only the change that the graph prepared last can be committed, and only once");
    }
    ++plans_made_;
    store_.commit(res, made->edges, change);
    presence_.commit(res, made->presence);
    index_count_ = made->presence.index_count;
    edge_count_ += change.counts.inserted - change.counts.erased - change.counts.detached;
    if (ids_) ids_->settle(std::move(made->stale_indices));
    change.plan.reset();
    return change.counts;
  }

  [[nodiscard]] const graph_options& options() const noexcept { return options_; }
  [[nodiscard]] const store_type& store() const noexcept { return store_; }
  [[nodiscard]] const vertex_presence<B>& presence() const noexcept { return presence_; }
  [[nodiscard]] const std::optional<sparse_ids<B, Vertex>>& ids() const noexcept { return ids_; }
  [[nodiscard]] std::uint64_t edge_count() const noexcept { return edge_count_; }
  [[nodiscard]] std::uint32_t index_count() const noexcept { return index_count_; }

 private:
  static constexpr std::size_t max_batch = std::size_t{1} << 31;

  /// Inserts from which an empty graph is built in bulk.
  static constexpr std::size_t bulk_from = std::size_t{1} << 14;

  static bool all_are(const batch_view<B, Vertex, Weight>& batch, update_kind kind) {
    return batch.kinds == nullptr && batch.kind == kind;
  }

  /// A preview by one tile of a device, if the batch suits it, of ids that are indices as they are.
  std::optional<outcome_counts> preview_few_of(const resources<B>& res, const batch_view<B, Vertex, Weight>& batch,
                                               graph_change<B>& change) const {
    if constexpr (std::is_same_v<B, cpu> || sizeof(Vertex) != sizeof(std::uint32_t)) {
      return {};
    } else {
      const indexed_updates updates{batch.sources, batch.targets, batch.kinds, batch.kind, batch.size};
      return preview_by_tile<B, bits>(res, store_.view(), updates, options_, index_count_, change);
    }
  }

  /// Whether the direct path may suit: not if it is known that vertices are named.
  [[nodiscard]] bool may_go_directly(const batch_view<B, Vertex, Weight>& batch) const {
    return options_.adjacency != adjacency_policy::tree && (batch.kinds != nullptr || names_edge(batch.kind));
  }

  std::optional<update_counts> change_directly(const resources<B>& res, const batch_view<B, Vertex, Weight>& batch) {
    const translated_updates<B> translated = translate_for_direct(res, batch);
    const bool names_new = ids_ && !ids_->assigned().empty();
    const edge_updates updates{translated.updates, options_.direction, options_.loops, names_new};
    const auto applied = direct_.apply(
        res, updates, reinterpret_cast<const bits*>(batch.weights), std::max(index_count_, translated.index_count),
        {store_.entries(), presence_.words(), store_.pool(), adjacency_rule::of(options_), presence_.count()});
    if (!applied) return {};
    return book(batch.size, *applied);
  }

  translated_updates<B> translate(const resources<B>& res, const batch_view<B, Vertex, Weight>& batch,
                                  std::uint32_t last_of_range) {
    const id_updates<Vertex> named{batch.sources, batch.targets, batch.kinds, batch.kind, batch.size};
    ++plans_made_;
    translated_updates<B> translated =
        ids_ ? ids_->translate(res, named) : translate_dense<B>(res, named, index_count_);
    if (last_of_range != 0) translated.index_count = std::max(translated.index_count, last_of_range + 1);
    return translated;
  }

  /// Builds a graph that has no edges.
  std::optional<update_counts> build(const resources<B>& res, const batch_view<B, Vertex, Weight>& batch,
                                     std::uint32_t last_of_range) {
    const translated_updates<B> translated = translate(res, batch, last_of_range);
    const indexed_updates& updates = translated.updates;
    if (!bulk_build_suits<B>(updates, options_, translated.index_count)) return {};
    const std::uint32_t index_count = translated.index_count;
    auto presence = presence_.prepare_build(res, index_count, last_of_range);
    const bool edges_only = options_.loops == self_loops::keep || !translated.loops;
    const bulk_batch<bits> inserts{updates, reinterpret_cast<const bits*>(batch.weights),
                                   edges_only ? edge_naming::edges_only : edge_naming::any};
    queued_build<B> queued =
        queue_bulk_build<B, bits>(res, inserts, options_, index_count, store_.entries(), store_.pool(),
                                  presence.next.data(), [&] { presence_.reserve(index_count); });
    presence_.find_targets(res, updates, inserts.naming, options_, presence, queued.counts.data());
    const build_counts counted = read_back(res, queued.counts.data());
    if (queued.has_hubs) direct_.expect_hubs();
    presence.counts = counted.presence;
    if (ids_) ids_->settle(find_unborn<B>(res, ids_->assigned(), presence_, index_count_, presence));
    const bulk_result built = bulk_result::of(counted, options_.direction);
    presence_.commit(res, presence);
    index_count_ = index_count;
    edge_count_ = built.inserted;
    store_.count(built.directed, 0);
    update_counts counts;
    counts.inserted = built.inserted;
    counts.ignored = batch.size - built.inserted;
    counts.vertices_inserted = presence.counts.inserted;
    return counts;
  }

  /// Erases vertices, where ids are indices.
  std::optional<update_counts> remove(const resources<B>& res, const batch_view<B, Vertex, Weight>& batch) {
    if (ids_) return {};
    const translated_updates<B> translated = translate_for_direct(res, batch);
    ++plans_made_;
    const removal_result removed = remove_vertices<B, bits>(
        res, {translated.updates.sources, batch.size, options_.direction, options_.loops, index_count_},
        store_.entries(), store_.pool(), presence_.words());
    store_.count(0, removed.directed);
    presence_.count_erased(removed.vertices);
    edge_count_ -= removed.detached;
    update_counts counts;
    counts.detached = removed.detached;
    counts.vertices_erased = removed.vertices;
    return counts;
  }

  /// Dense 32-bit ids go as they are: the path finds out itself whether the dictionary has to grow.
  translated_updates<B> translate_for_direct(const resources<B>& res, const batch_view<B, Vertex, Weight>& batch) {
    const id_updates<Vertex> named{batch.sources, batch.targets, batch.kinds, batch.kind, batch.size};
    if (ids_) {
      ++plans_made_;
      return ids_->translate(res, named);
    }
    if constexpr (sizeof(Vertex) == sizeof(std::uint32_t)) {
      translated_updates<B> as_it_is;
      as_it_is.updates = {batch.sources, batch.targets, batch.kinds, batch.kind, batch.size};
      as_it_is.index_count = index_count_;
      return as_it_is;
    } else {
      return translate_dense<B>(res, named, index_count_);
    }
  }

  update_counts book(std::size_t updates, const typename direct_path<B, bits>::result& applied) {
    ++plans_made_;
    const outcome_counts& outcomes = applied.outcomes;
    update_counts counts = counts_of(outcomes, updates);
    counts.vertices_inserted = applied.vertices_created;
    store_.count(outcomes.directed_of(edge_outcome::insert), outcomes.directed_of(edge_outcome::erase));
    presence_.count_created(applied.vertices_created);
    edge_count_ += counts.inserted - counts.erased;
    index_count_ = applied.index_count;
    if (ids_) ids_->settle({});
    return counts;
  }

  detachment<B> detach(const resources<B>& res, const indexed_updates& updates, std::uint32_t index_count) const {
    if (store_.directed_edges() > max_batch) {
      throw usage_error("vertices cannot be erased from a graph of more than 2^31 directed edges");
    }
    return find_detached<B, bits>(res, store_.view(), updates, options_.direction, index_count);
  }

  update_counts count(const resources<B>& res, const indexed_updates& updates, vertex_updates found,
                      const plan& made) const {
    const std::uint64_t edge_updates =
        found == vertex_updates::none ? updates.size : count_edge_updates_in<B>(res, updates);
    update_counts counts = counts_of(made.edges.outcomes, edge_updates);
    counts.detached = made.edges.outcomes.of(edge_outcome::detach);
    counts.vertices_inserted = made.presence.counts.inserted;
    counts.vertices_erased = made.presence.counts.erased;
    return counts;
  }

  /// What so many updates came to, of edges alone.
  static update_counts counts_of(const outcome_counts& outcomes, std::uint64_t updates) {
    update_counts counts;
    counts.inserted = outcomes.of(edge_outcome::insert);
    counts.overwritten = outcomes.of(edge_outcome::overwrite);
    counts.erased = outcomes.of(edge_outcome::erase);
    counts.ignored = updates - counts.inserted - counts.overwritten - counts.erased;
    return counts;
  }

  graph_options options_;
  store_type store_;
  vertex_presence<B> presence_;
  std::optional<sparse_ids<B, Vertex>> ids_;
  direct_path<B, bits> direct_;
  std::uint64_t edge_count_ = 0;
  std::uint64_t plans_made_ = 0;
  std::uint32_t index_count_ = 0;
};

}  // namespace mangrove::detail
