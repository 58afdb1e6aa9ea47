#pragma once

#include <optional>
#include <type_traits>

#include "edge_sort.hpp"
#include "graph_core.hpp"
#include "mangrove/graph/graph_change.hpp"
#include "preview_few.hpp"
#include "update_survey.hpp"

namespace mangrove::detail {

/// A preview by one tile of a device, if the batch suits it, of ids that are indices as they are.
template <backend B, class Vertex, class Weight>
std::optional<outcome_counts> preview_few_of(const graph_core<B, Vertex, Weight>& core, const resources<B>& res,
                                             const batch_view<B, Vertex, Weight>& batch, graph_change<B>& change) {
  if constexpr (std::is_same_v<B, cpu> || sizeof(Vertex) != sizeof(std::uint32_t)) {
    return {};
  } else {
    return preview_by_tile<B, weight_bits<Weight>>(res, core.store.view(), core.as_indices(batch), core.options,
                                                   core.index_count, change);
  }
}

/// What a batch would do to edges. @pre ids are indices @return nothing if the batch updates vertices
template <backend B, class Vertex, class Weight>
std::optional<graph_change<B>> preview_batch(const graph_core<B, Vertex, Weight>& core, const resources<B>& res,
                                             const batch_view<B, Vertex, Weight>& batch) {
  graph_change<B> change;
  if (const auto outcomes = preview_few_of(core, res, batch, change)) {
    change.counts = counts_of(*outcomes, batch.size);
    return change;
  }
  const translated_updates<B> translated = core.translate_dense(res, batch);
  const indexed_updates& updates = translated.updates;
  if (vertex_updates_in<B>(res, updates) != vertex_updates::none) return {};
  const outcome_counts outcomes =
      core.store.preview(res, edge_sorter<B>(res, core.options, translated.index_count).run(updates, {}), updates,
                         core.weights_of(batch), core.options.direction, change);
  change.counts = counts_of(outcomes, updates.size);
  return change;
}

}  // namespace mangrove::detail
