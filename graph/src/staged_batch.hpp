#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "detach.hpp"
#include "edge_sort.hpp"
#include "graph_core.hpp"
#include "mangrove/graph/graph_change.hpp"
#include "stale_ids.hpp"
#include "update_survey.hpp"

/// @file
/// A batch in two steps, between which its changes can be read: it is prepared, with all memory, and committed. The way
/// of all batches that no shorter one suits.

namespace mangrove::detail {

/// A batch that a graph has prepared, and is to commit.
template <backend B, class Vertex, class Weight>
class staged_batch {
 public:
  using core_type = graph_core<B, Vertex, Weight>;
  using batch_type = typename core_type::batch_type;

  /// Finds out what a batch will do, and secures memory for it. The graph does not change.
  /// @param last_of_range dense ids only: vertices 1 to this come to be before the batch; 0 for none
  /// @throws memory_error, usage_error with the graph as it was
  static graph_change<B> prepare(core_type& core, const resources<B>& res, const batch_type& batch,
                                 std::uint32_t last_of_range) {
    if (batch.size > core_type::max_batch) {
      throw usage_error("a batch may hold 2^31 updates, not " + std::to_string(batch.size) + "; split it");
    }
    const translated_updates<B> translated = core.translate(res, batch, last_of_range);
    const indexed_updates& updates = translated.updates;
    const std::uint32_t index_count = translated.index_count;
    const vertex_updates found = vertex_updates_in<B>(res, updates);
    const detachment<B> detached =
        found == vertex_updates::erases ? detach(core, res, updates, index_count) : detachment<B>{};
    graph_change<B> change;
    auto made = std::make_shared<staged_batch>();
    made->epoch_ = core.epoch;
    made->edges_ = core.store.prepare(
        res, edge_sorter<B>(res, core.options, index_count).run(updates, detached.edges()), updates,
        detached.erasures(), core_type::weights_of(batch), core.options.direction, index_count, change);
    made->presence_ = core.presence.prepare(res, updates, detached.erasures(), core.options.loops, index_count,
                                            found != vertex_updates::none, last_of_range);
    if (core.ids) {
      made->stale_ = find_stale<B>(res, core.ids->assigned(), core.presence, core.index_count, made->presence_);
    }
    change.counts = made->counts(res, updates, found);
    change.plan = std::move(made);
    return change;
  }

  /// Applies what was prepared. Allocates nothing. @throws usage_error when the graph did not prepare it last
  static update_counts commit(core_type& core, const resources<B>& res, graph_change<B>& change) {
    auto* const made = static_cast<staged_batch*>(change.plan.get());
    if (made == nullptr || made->epoch_ != core.epoch) {
      throw usage_error("only the change that the graph prepared last can be committed, and only once");
    }
    ++core.epoch;
    core.store.commit(res, made->edges_, change);
    core.presence.commit(res, made->presence_);
    core.index_count = made->presence_.index_count;
    core.edge_count += change.counts.inserted - change.counts.erased - change.counts.detached;
    if (core.ids) core.ids->settle(std::move(made->stale_));
    change.plan.reset();
    return change.counts;
  }

 private:
  static detachment<B> detach(const core_type& core, const resources<B>& res, const indexed_updates& updates,
                              std::uint32_t index_count) {
    if (core.store.directed_edges() > core_type::max_batch) {
      throw usage_error("vertices cannot be erased from a graph of more than 2^31 directed edges");
    }
    return find_detached<B, typename core_type::bits>(res, core.store.view(), updates, core.options.direction,
                                                      index_count);
  }

  [[nodiscard]] update_counts counts(const resources<B>& res, const indexed_updates& updates,
                                     vertex_updates found) const {
    const std::uint64_t edge_updates =
        found == vertex_updates::none ? updates.size : count_edge_updates_in<B>(res, updates);
    update_counts counts = counts_of(edges_.outcomes, edge_updates);
    counts.detached = edges_.outcomes.of(edge_outcome::detach);
    counts.vertices_inserted = presence_.counts.inserted;
    counts.vertices_erased = presence_.counts.erased;
    return counts;
  }

  std::uint64_t epoch_ = 0;  ///< when it was prepared
  typename adjacency_store<B, typename core_type::bits>::plan edges_;
  typename vertex_presence<B>::plan presence_;
  buffer<B, std::uint32_t> stale_;  ///< indices
};

}  // namespace mangrove::detail
