#pragma once

#include <cstdint>
#include <optional>

#include "bulk_build.hpp"
#include "graph_core.hpp"
#include "stale_ids.hpp"

namespace mangrove::detail {

/// What a batch of inserts made of a graph without edges.
struct built_batch {
  update_counts counts;
  bool has_hubs;
};

/// Builds a graph that has no edges from a batch of inserts. @return nothing if a bulk build does not suit the batch
/// @param last_of_range dense ids only: vertices 1 to this come to be before the batch; 0 for none
/// @throws memory_error with the graph as it was
template <backend B, class Vertex, class Weight>
std::optional<built_batch> build_batch(graph_core<B, Vertex, Weight>& core, const resources<B>& res,
                                       const batch_view<B, Vertex, Weight>& batch, std::uint32_t last_of_range) {
  using bits = weight_bits<Weight>;
  const graph_options& options = core.options;
  const translated_updates<B> translated = core.translate(res, batch, last_of_range);
  const indexed_updates& updates = translated.updates;
  const std::uint32_t index_count = translated.index_count;
  if (!bulk_build_suits<B>(updates, options, index_count)) return {};
  auto presence = core.presence.prepare_build(res, index_count, last_of_range);
  const bool edges_only = options.loops == self_loops::keep || !translated.loops;
  const bulk_batch<bits> inserts{updates, core.weights_of(batch),
                                 edges_only ? edge_naming::edges_only : edge_naming::any};
  queued_build<B> queued =
      queue_bulk_build<B, bits>(res, inserts, options, index_count, core.store.entries(), core.store.pool(),
                                presence.next.data(), [&] { core.presence.reserve(index_count); });
  core.presence.find_targets(res, updates, inserts.naming, options, presence, queued.counts.data());
  const build_counts counted = read_back(res, queued.counts.data());
  presence.counts = counted.presence;
  if (core.ids) {
    core.ids->settle(find_unborn<B>(res, core.ids->assigned(), core.presence, core.index_count, presence));
  }
  const bulk_result built = bulk_result::of(counted, options.direction);
  core.presence.commit(res, presence);
  core.index_count = index_count;
  core.edge_count = built.inserted;
  core.store.count(built.directed, 0);
  built_batch made{{}, queued.has_hubs};
  made.counts.inserted = built.inserted;
  made.counts.ignored = batch.size - built.inserted;
  made.counts.vertices_inserted = presence.counts.inserted;
  return made;
}

}  // namespace mangrove::detail
