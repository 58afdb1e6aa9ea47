#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "indexed_updates.hpp"
#include "mangrove/core/bulk.hpp"
#include "mangrove/core/none.hpp"

/// @file
/// Bodies around the sort of a bulk build: updates become directed edges, a source and what is sorted along with it.

namespace mangrove::detail {

/// A batch of inserts that a graph is built from.
template <class Bits>
struct bulk_batch {
  indexed_updates updates;
  const Bits* weights;  ///< of the same size; null for zeros
  edge_naming naming = edge_naming::any;

  /// Directed edges that it names at most.
  [[nodiscard]] std::size_t directed(edge_direction direction) const {
    return direction == edge_direction::directed ? updates.size : 2 * updates.size;
  }
};

/// What is sorted along with a source: the target, and the weight behind it.
template <class Bits>
struct bulk_value {
  static constexpr int words = 1 + (is_none<Bits> ? 0 : static_cast<int>(sizeof(Bits) / sizeof(std::uint32_t)));
  using type = std::conditional_t<is_none<Bits>, std::uint32_t, word_group<words>>;

  MANGROVE_HOST_DEVICE static type make(std::uint32_t target, [[maybe_unused]] Bits weight) {
    if constexpr (is_none<Bits>) {
      return target;
    } else {
      type made{};
      made.words[0] = target;
      std::memcpy(made.words + 1, &weight, sizeof(weight));
      return made;
    }
  }
};

/// Targets and weights of edges, as they are sorted along with sources.
template <class Bits>
class edge_values {
 public:
  using type = typename bulk_value<Bits>::type;

  edge_values() = default;
  MANGROVE_HOST_DEVICE explicit edge_values(const type* values) : values_(values) {}

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t target(std::size_t at) const {
    if constexpr (is_none<Bits>) {
      return values_[at];
    } else {
      return values_[at].words[0];
    }
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE Bits weight(std::size_t at) const {
    Bits weight{};
    if constexpr (!is_none<Bits>) std::memcpy(&weight, values_[at].words + 1, sizeof(Bits));
    return weight;
  }
  /// Those from edge `at` on.
  [[nodiscard]] MANGROVE_HOST_DEVICE edge_values from(std::size_t at) const { return edge_values(values_ + at); }

 private:
  const type* values_ = nullptr;
};

/// Body: names the directed edges of the updates i, i + stride and so on.
template <class Bits>
struct name_edges {
  static constexpr std::size_t each = 4;  ///< updates of a lane: so many loads are under way together
  using value = bulk_value<Bits>;

  bulk_batch<Bits> batch;
  edge_direction direction;
  self_loops loops;
  std::uint32_t index_count;  ///< also the source of what is no edge, which sorts last
  std::size_t stride;
  std::uint32_t* sources;  ///< null where those of the batch are sorted as they are
  typename value::type* values;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    std::uint32_t u[each] = {};
    std::uint32_t v[each] = {};
    Bits weights[each]{};
    for (std::size_t k = 0; k < each; ++k) {
      const std::size_t at = i + k * stride;
      if (at >= batch.updates.size) break;
      if (sources != nullptr) u[k] = batch.updates.sources[at];
      v[k] = batch.updates.targets[at];
      if constexpr (!is_none<Bits>) weights[k] = batch.weights == nullptr ? Bits{} : batch.weights[at];
    }
    for (std::size_t k = 0; k < each; ++k) {
      if (i + k * stride < batch.updates.size) put(i + k * stride, u[k], v[k], weights[k]);
    }
  }

 private:
  MANGROVE_HOST_DEVICE void put(std::size_t at, std::uint32_t u, std::uint32_t v, Bits weight) const {
    const bool valid = u < index_count && v < index_count && (u != v || loops == self_loops::keep);
    if (direction == edge_direction::directed) {
      put_edge(at, valid, u, v, weight);
    } else {
      put_edge(2 * at, valid, u, v, weight);
      put_edge(2 * at + 1, valid && u != v, v, u, weight);
    }
  }

  MANGROVE_HOST_DEVICE void put_edge(std::size_t at, bool valid, std::uint32_t u, std::uint32_t v, Bits weight) const {
    if (sources != nullptr) sources[at] = valid ? u : index_count;
    values[at] = value::make(v, weight);
  }
};

/// Body: takes edges apart that have been sorted by source and target and occur once.
template <class Bits>
struct split_sorted_edges {
  const std::uint64_t* edges;
  const std::uint32_t* sequences;
  const Bits* weights_from;  ///< the batch's; null for zeros
  std::uint32_t* sources;
  typename bulk_value<Bits>::type* values;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t at) const {
    Bits weight{};
    if constexpr (!is_none<Bits>) {
      if (weights_from != nullptr) weight = weights_from[sequences[at]];
    }
    sources[at] = key_source(edges[at]);
    values[at] = bulk_value<Bits>::make(key_target(edges[at]), weight);
  }
};

}  // namespace mangrove::detail
