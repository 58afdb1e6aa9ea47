#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "mangrove/core/buffer.hpp"
#include "mangrove/core/hash.hpp"
#include "mangrove/core/none.hpp"
#include "mangrove/core/transfer.hpp"
#include "mangrove/graph/graph_options.hpp"
#include "mangrove/graph/update.hpp"
#include "named_graph.hpp"

namespace mangrove::bench {

/// Edges in a backend's memory, ready to be batches. Sparse ids are the dense ones, mixed over all 64 bits.
template <backend B, class Vertex = std::uint32_t, class Weight = none>
struct placed_edges {
  buffer<B, Vertex> sources;
  buffer<B, Vertex> targets;
  buffer<B, Weight> weights;  ///< empty without weights

  placed_edges(const resources<B>& res, const directed_edges& edges, id_space ids = id_space::dense)
      : sources(place(res, edges.sources, ids)), targets(place(res, edges.targets, ids)) {
    if constexpr (!is_none<Weight>) {
      std::vector<Weight> values(edges.size());
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<Weight>(i % 1024);
      weights = make_buffer<B>(res, values.data(), values.size());
    }
    res.synchronize();
  }

  [[nodiscard]] std::size_t size() const noexcept { return sources.size(); }

  /// Updates of one kind with the edges [first, first + count).
  [[nodiscard]] batch_view<B, Vertex, Weight> part(update_kind kind, std::size_t first, std::size_t count) const {
    return {sources.data() + first,
            targets.data() + first,
            weights.empty() ? nullptr : weights.data() + first,
            nullptr,
            kind,
            count};
  }
  [[nodiscard]] batch_view<B, Vertex, Weight> all(update_kind kind) const { return part(kind, 0, size()); }

 private:
  static buffer<B, Vertex> place(const resources<B>& res, const std::vector<std::uint32_t>& ids, id_space space) {
    if constexpr (std::is_same_v<Vertex, std::uint32_t>) {
      if (space == id_space::dense) return make_buffer<B>(res, ids.data(), ids.size());
    }
    std::vector<Vertex> wide(ids.begin(), ids.end());
    if (space == id_space::sparse) {
      for (Vertex& id : wide) id = mix(id);
    }
    auto placed = make_buffer<B>(res, wide.data(), wide.size());
    res.synchronize();
    return placed;
  }
};

/// Batches of one size out of one list of edges, in turn.
template <class Edges>
class batch_turns {
 public:
  batch_turns(const Edges& edges, std::size_t size) : edges_(&edges), size_(size) {}

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t first() const noexcept { return turn_ * size_; }
  /// The batch whose turn it is.
  [[nodiscard]] auto view(update_kind kind) const { return edges_->part(kind, first(), size_); }
  void next() noexcept { turn_ = (turn_ + 1) % (edges_->size() / size_); }

 private:
  const Edges* edges_;
  std::size_t size_;
  std::size_t turn_ = 0;
};

}  // namespace mangrove::bench
