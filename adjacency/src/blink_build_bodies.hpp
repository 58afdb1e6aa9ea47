#pragma once

#include "blink_batch.hpp"
#include "mangrove/adjacency/detail/blink_view.hpp"

namespace mangrove::detail {

/// What leaves are built from: distinct keys, ascending, as the caller gave them.
template <class Key>
struct given_keys {
  const void* keys;
  const void* values;
  key_codec<Key> codec;

  [[nodiscard]] MANGROVE_HOST_DEVICE Key key(std::size_t i) const { return codec.encode(load_bits<Key>(keys, i)); }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::size_t source(std::size_t i) const { return i; }
};

/// What leaves are built from: distinct keys, ascending and encoded, that come from other positions.
template <class Key>
struct picked_keys {
  const Key* keys;
  const std::uint32_t* sources;
  const void* values;

  [[nodiscard]] MANGROVE_HOST_DEVICE Key key(std::size_t i) const { return keys[i]; }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::size_t source(std::size_t i) const { return sources[i]; }
};

/// Body, once per leaf: fills it with its share of the keys.
template <class Key, class Source>
struct build_leaf {
  blink_nodes<Key> nodes;
  Source from;
  std::uint64_t count;
  std::uint64_t leaves;
  node_index* order;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const auto leaf = static_cast<node_index>(i);
    const std::uint64_t first = begin_of(i);
    const std::uint64_t last = begin_of(i + 1);
    tile.strided(blink_nodes<Key>::slots, [&](std::size_t slot) {
      const std::uint64_t at = first + slot;
      nodes.keys_of(leaf)[slot] = at < last ? from.key(at) : blink_nodes<Key>::greatest;
      if (at < last) move_value(nodes.values_of(leaf), slot, from.values, from.source(at), nodes.value_bytes);
    });
    if (tile.lane() != 0) return;
    const Key low = i == 0 ? Key{0} : static_cast<Key>(from.key(first - 1) + 1);
    const bool is_last = i + 1 == leaves;
    nodes.heads[leaf] = {node_state::of(static_cast<std::uint32_t>(last - first)), is_last ? no_node : leaf + 1, low,
                         is_last ? blink_nodes<Key>::greatest : from.key(last - 1)};
    order[i] = leaf;
  }

 private:
  /// Shares differ by one key at most; the first leaves get the longer ones.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t begin_of(std::uint64_t i) const {
    const std::uint64_t share = count / leaves;
    const std::uint64_t longer = count % leaves;
    return i * share + (i < longer ? i : longer);
  }
};

/// Body, once per `chunk` neighbours: notes NaNs, keys out of order, and equal keys.
template <class Key>
struct inspect_sorted {
  static constexpr std::size_t chunk = 256;
  const void* keys;
  std::size_t count;
  key_codec<Key> codec;
  blink_tally* tally;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::size_t begin = i * chunk;
    bool refused = false;
    bool repeats = false;
    tile.strided(count - begin < chunk ? count - begin : chunk, [&](std::size_t k) {
      const Key raw = load_bits<Key>(keys, begin + k);
      const Key key = codec.encode(raw);
      const Key before = begin + k == 0 ? key : codec.encode(load_bits<Key>(keys, begin + k - 1));
      refused |= codec.refuses(raw) || key < before;
      repeats |= begin + k != 0 && key == before;
    });
    if (refused) store_relaxed(&tally->refused, 1U);
    if (repeats) store_relaxed(&tally->repeats, 1U);
  }
};

/// Body, once per key in order: 1 for the last one of equal keys, else 0.
template <class Key>
struct mark_last_of_equals {
  batch_view<Key> batch;
  std::uint32_t* marks;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    marks[i] = batch.last_of_equals(i) ? 1 : 0;
  }
};

/// Body, once per key in order: keeps those that were marked, `before[i]` of them before the i-th key.
template <class Key>
struct pick_keys {
  batch_view<Key> batch;
  const std::uint32_t* before;
  Key* keys;
  std::uint32_t* sources;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const std::uint32_t to = before[i];
    if (before[i + 1] == to) return;
    keys[to] = batch.key(i);
    sources[to] = batch.source(i);
  }
};

}  // namespace mangrove::detail
