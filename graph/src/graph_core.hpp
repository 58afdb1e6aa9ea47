#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "adjacency_store.hpp"
#include "dense_ids.hpp"
#include "mangrove/graph/graph_options.hpp"
#include "mangrove/graph/update.hpp"
#include "presence.hpp"
#include "sparse_ids.hpp"

namespace mangrove::detail {

/// Unsigned integer of a weight's size, or `none`.
template <class Weight>
using weight_bits =
    std::conditional_t<is_none<Weight>, none, std::conditional_t<sizeof(Weight) == 4, std::uint32_t, std::uint64_t>>;

/// What a graph consists of, whichever way its batches take: edges, vertices, ids, and how many there are.
template <backend B, class Vertex, class Weight>
struct graph_core {
  using bits = weight_bits<Weight>;
  using batch_type = batch_view<B, Vertex, Weight>;

  static constexpr std::size_t max_batch = std::size_t{1} << 31;

  graph_options options;
  adjacency_store<B, bits> store;
  vertex_presence<B> presence;
  std::optional<sparse_ids<B, Vertex>> ids;  ///< none: ids are indices
  std::uint64_t edge_count = 0;
  std::uint64_t epoch = 0;  ///< goes up with each batch; a plan of an earlier epoch is void
  std::uint32_t index_count = 0;

  graph_core(const resources<B>& res, const graph_options& with)
      : options(with), store(res, adjacency_rule::of(with), max_vertices), presence(res, max_vertices) {
    if (with.ids == id_space::sparse) ids.emplace(res);
  }

  static const bits* weights_of(const batch_type& batch) { return reinterpret_cast<const bits*>(batch.weights); }

  /// A batch that is about to be applied, by indices. Begins an epoch.
  /// @param last_of_range dense ids only: vertices 1 to this come to be before the batch; 0 for none
  translated_updates<B> translate(const resources<B>& res, const batch_type& batch, std::uint32_t last_of_range) {
    ++epoch;
    translated_updates<B> translated = ids ? ids->translate(res, named_in(batch)) : translate_dense(res, batch);
    if (last_of_range != 0) translated.index_count = std::max(translated.index_count, last_of_range + 1);
    return translated;
  }

  /// The same for who finds out by himself whether the dictionary has to grow: dense 32-bit ids go as they are. Dense
  /// ids begin no epoch: whoever applies the batch does.
  translated_updates<B> translate_as_known(const resources<B>& res, const batch_type& batch) {
    if (ids) return translate(res, batch, 0);
    if constexpr (sizeof(Vertex) == sizeof(std::uint32_t)) {
      translated_updates<B> as_it_is;
      as_it_is.updates = as_indices(batch);
      as_it_is.index_count = index_count;
      return as_it_is;
    } else {
      return translate_dense(res, batch);
    }
  }

  /// A batch whose ids, dense ones of 32 bits, are indices as they are.
  static indexed_updates as_indices(const batch_type& batch) {
    return {batch.sources, batch.targets, batch.kinds, batch.kind, batch.size};
  }

  /// By indices, where ids are those. @throws usage_error when one is too large
  [[nodiscard]] translated_updates<B> translate_dense(const resources<B>& res, const batch_type& batch) const {
    return detail::translate_dense<B>(res, named_in(batch), index_count);
  }

 private:
  static id_updates<Vertex> named_in(const batch_type& batch) {
    return {batch.sources, batch.targets, batch.kinds, batch.kind, batch.size};
  }
};

/// What so many updates came to, of edges alone.
inline update_counts counts_of(const outcome_counts& outcomes, std::uint64_t updates) {
  update_counts counts;
  counts.inserted = outcomes.of(edge_outcome::insert);
  counts.overwritten = outcomes.of(edge_outcome::overwrite);
  counts.erased = outcomes.of(edge_outcome::erase);
  counts.ignored = updates - counts.inserted - counts.overwritten - counts.erased;
  return counts;
}

}  // namespace mangrove::detail
