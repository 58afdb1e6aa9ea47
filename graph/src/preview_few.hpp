#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "edge_sort.hpp"
#include "mangrove/core/for_each_scratch.hpp"
#include "outcome.hpp"

namespace mangrove::detail {

/// What a batch of few updates would do to edges.
struct few_previewed {
  std::uint32_t unsuited;  ///< not 0: it updates vertices or names some that are not there; nothing else is told
  std::uint32_t size;      ///< directed edges that change
  outcome_counts outcomes;
};

/// Body, called once: sorts the updates of a small batch, keeps the last one of each edge, looks it up, and lists those
/// that change something. What takes a large batch a dozen launches, each of which takes a host longer than all of this
/// takes the device, is here done by one tile, with the keys in its scratch.
template <class Bits>
struct preview_few {
  static constexpr int width = 1024;
  static constexpr std::uint32_t most_keys = 4096;
  static constexpr int scratch_bytes = most_keys * sizeof(std::uint64_t);

  adjacency_view<Bits> graph;
  build_sort_keys named;  ///< makes keys, packed ones
  std::uint64_t* edges;   ///< room for as many as there are keys
  edge_action* actions;
  few_previewed* seen;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t, std::byte* scratch) const {
    auto* const keys = reinterpret_cast<std::uint64_t*>(scratch);
    if (tile.any(put_keys(tile, keys))) {
      if (tile.lane() == 0) seen->unsuited = 1;
      return;
    }
    sort_keys(tile, keys);
    take_effective(tile, keys);
  }

 private:
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t count() const {
    return static_cast<std::uint32_t>(named.updates.size << (named.direction == edge_direction::directed ? 0 : 1));
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t padded() const {
    std::uint32_t size = 1;
    while (size < count()) size *= 2;
    return size;
  }

  /// @return whether one of the lane's updates is not for this
  template <class Tile>
  MANGROVE_HOST_DEVICE bool put_keys(const Tile& tile, std::uint64_t* keys) const {
    build_sort_keys make = named;
    make.keys = keys;
    bool unsuited = false;
    tile.strided(named.updates.size, [&](std::size_t i) {
      make(tile, i);
      const bool known = named.updates.sources[i] < named.index_count && named.updates.targets[i] < named.index_count;
      unsuited = unsuited || !known || !names_edge(named.updates.kind_of(i));
    });
    tile.strided(padded() - count(), [&](std::size_t k) { keys[count() + k] = named.format.dropped(); });
    return unsuited;
  }

  /// A bitonic sort: that of a power of two, whose steps are the same for all keys.
  template <class Tile>
  MANGROVE_HOST_DEVICE void sort_keys(const Tile& tile, std::uint64_t* keys) const {
    const std::uint32_t all = padded();
    for (std::uint32_t size = 2; size <= all; size *= 2) {
      for (std::uint32_t stride = size / 2; stride != 0; stride /= 2) {
        tile.strided(all / 2, [&](std::size_t k) {
          const auto low = static_cast<std::uint32_t>(2 * k - (k & (stride - 1)));
          const bool ascends = (low & size) == 0;
          const std::uint64_t a = keys[low];
          const std::uint64_t b = keys[low + stride];
          if ((a > b) != ascends) return;
          keys[low] = b;
          keys[low + stride] = a;
        });
        tile.sync();
      }
    }
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void take_effective(const Tile& tile, const std::uint64_t* keys) const {
    std::uint32_t taken = 0;
    few_counts own{};
    for (std::uint32_t first = 0; first < count(); first += Tile::lanes) {
      const std::uint32_t i = first + static_cast<std::uint32_t>(tile.lane());
      const edge_outcome outcome = i < count() ? outcome_of(tile.solo(), keys, i) : edge_outcome::nothing;
      const bool effective = decide_outcome<Bits>::is_effective(outcome);
      const auto place = tile.scan(effective ? 1U : 0U);
      if (effective) {
        edges[taken + place.before] = named.format.edge(keys[i]);
        actions[taken + place.before] = gather_effective<Bits>::action(outcome);
      }
      taken += place.all;
      if (outcome != edge_outcome::nothing) own.add(outcome, counts_once(named.format.edge(keys[i]), named.direction));
    }
    const few_counts all{tile.sum(own.edges), tile.sum(own.directed)};
    if (tile.lane() == 0) *seen = {0, taken, all.unpacked()};
  }

  template <class Lane>
  [[nodiscard]] MANGROVE_HOST_DEVICE edge_outcome outcome_of(const Lane& lane, const std::uint64_t* keys,
                                                             std::uint32_t i) const {
    if (!mark_last{keys, count(), named.format, nullptr}.is_last(i)) return edge_outcome::nothing;
    const std::uint64_t edge = named.format.edge(keys[i]);
    const bool present = graph.contains(lane, key_source(edge), key_target(edge));
    const decide_outcome<Bits> rule{graph, named.updates, {}, nullptr, nullptr, nullptr, nullptr};
    return rule.decide(key_source(edge), key_target(edge), named.format.sequence(keys[i]), present);
  }

  /// Counts by outcome, of at most 2^20 edges, in a word: so a tile adds them up at once.
  struct few_counts {
    static constexpr int bits = 20;
    std::uint64_t edges;  ///< an undirected one once
    std::uint64_t directed;

    MANGROVE_HOST_DEVICE void add(edge_outcome outcome, bool counts) {
      const std::uint64_t one = std::uint64_t{1} << (static_cast<int>(outcome) - 1) * bits;
      directed += one;
      if (counts) edges += one;
    }
    [[nodiscard]] MANGROVE_HOST_DEVICE outcome_counts unpacked() const {
      outcome_counts counts{};
      for (int kind = 1; kind < 4; ++kind) {  // inserted, overwritten, erased
        counts.edges[kind] = edges >> (kind - 1) * bits & ((1U << bits) - 1);
        counts.directed[kind] = directed >> (kind - 1) * bits & ((1U << bits) - 1);
      }
      return counts;
    }
  };
};

/// Finds out by one tile what a batch would do. @param change gets the edges that change
/// @return nothing where the batch is too large for that, or unsuited
template <backend B, class Bits>
std::optional<outcome_counts> preview_by_tile(const resources<B>& res, const adjacency_view<Bits>& graph,
                                              const indexed_updates& updates, const graph_options& options,
                                              std::uint32_t index_count, graph_change<B>& change) {
  using body = preview_few<Bits>;
  const sort_format format = sort_format::for_batch(index_count, updates.size);
  const std::size_t keys = options.direction == edge_direction::directed ? updates.size : 2 * updates.size;
  if (keys > body::most_keys || !format.packed) return {};
  change.edges = buffer<B, std::uint64_t>(res, keys);
  change.actions = buffer<B, edge_action>(res, keys);
  buffer<B, few_previewed> seen(res, 1);
  const build_sort_keys named{updates, {}, format, options.direction, options.loops, index_count, nullptr, nullptr};
  for_each_tile_with_scratch<body::width, body::scratch_bytes>(
      res, 1, body{graph, named, change.edges.data(), change.actions.data(), seen.data()});
  const few_previewed found = read_back(res, seen.data());
  if (found.unsuited != 0) return {};
  change.edges.truncate(found.size);
  change.actions.truncate(found.size);
  return found.outcomes;
}

}  // namespace mangrove::detail
