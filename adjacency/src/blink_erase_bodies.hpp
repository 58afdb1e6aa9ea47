#pragma once

#include "mangrove/adjacency/detail/blink_view.hpp"
#include "mangrove/core/bits.hpp"
#include "mangrove/core/unrolled.hpp"
#include "ordered_batch.hpp"

/// @file
/// Steps of erasing a batch: mark the slots of its keys, close the gaps that this leaves, drop leaves without keys.

namespace mangrove::detail {

/// Body, once per key in any order: marks its slot.
template <class Key>
struct mark_erased_key {
  blink_view<Key> tree;
  const void* keys;
  std::uint32_t* marks;  ///< [dim = leaves] bit i stands for slot i
  std::uint8_t* erased;  ///< where the caller wants to know, else null

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const Key raw = load_bits<Key>(keys, i);
    note(i, !tree.codec.refuses(raw) && mark(tile, tree.codec.encode(raw)));
  }

 protected:
  template <class Tile>
  MANGROVE_HOST_DEVICE bool mark(const Tile& tile, Key key) const {
    const blink_place at = tree.lower_bound(tile, key);
    if (!tree.holds(at, key)) return false;
    const std::uint32_t bit = 1U << at.slot;
    return (fetch_or(marks + at.rank, bit) & bit) == 0;
  }
  MANGROVE_HOST_DEVICE void note(std::size_t i, bool is_erased) const {
    if (erased != nullptr) erased[i] = is_erased ? 1 : 0;
  }
};

/// The same for keys in order, which share their way down.
template <class Key>
struct mark_sorted_key : mark_erased_key<Key> {
  batch_view<Key> batch;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    this->note(batch.source(i), this->mark(tile, batch.key(i)));
  }
};

/// Body, once per `chunk` leaves: 1 for leaves that keep keys, else 0; counts the keys that go.
template <class Key>
struct count_marked {
  static constexpr std::size_t chunk = 256;
  blink_view<Key> tree;
  const std::uint32_t* marks;
  std::uint32_t* kept;
  blink_tally* tally;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::size_t begin = i * chunk;
    std::uint64_t gone = 0;
    tile.strided(tree.leaves - begin < chunk ? tree.leaves - begin : chunk, [&](std::size_t k) {
      const std::size_t rank = begin + k;
      const auto marked = count_bits(marks[rank]);
      gone += marked;
      kept[rank] = tree.nodes.count_of(tree.order[rank]) > marked ? 1 : 0;
    });
    gone = tile.sum(gone);
    if (tile.lane() == 0 && gone != 0) fetch_add(&tally->keys, gone);
  }
};

/// Body, once: what the host has to know.
struct sum_kept {
  const std::uint32_t* kept;
  blink_tally* tally;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t) const {
    if (tile.lane() == 0) tally->kept = *kept;
  }
};

/// Body, once per leaf: closes the gaps.
template <class Key>
struct compact_leaf {
  static constexpr std::uint32_t slots = blink_nodes<Key>::slots;
  blink_view<Key> tree;
  const std::uint32_t* marks;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::uint32_t mask = marks[i];
    if (mask == 0) return;
    constexpr int rows = (slots + Tile::lanes - 1) / Tile::lanes;
    const node_index leaf = tree.order[i];
    Key* const keys = tree.nodes.keys_of(leaf);
    std::byte* const values = tree.nodes.values_of(leaf);
    const std::uint32_t value_bytes = tree.nodes.value_bytes;
    const std::uint32_t held = tree.nodes.count_of(leaf);
    Key kept[rows];
    std::uint64_t kept_values[rows];
    unrolled<rows>([&](int row) {
      const std::uint32_t slot = row * Tile::lanes + tile.lane();
      kept[row] = slot < held ? keys[slot] : blink_nodes<Key>::greatest;
      kept_values[row] = slot < held ? value_at(values, slot, value_bytes) : 0;
    });
    tile.sync();
    const std::uint32_t left = held - count_bits(mask);
    unrolled<rows>([&](int row) {
      const std::uint32_t slot = row * Tile::lanes + tile.lane();
      if (slot < held && (mask >> slot & 1) == 0) {
        const std::uint32_t to = slot - count_bits(mask & ((1U << slot) - 1));
        keys[to] = kept[row];
        put_value(values, to, kept_values[row], value_bytes);
      }
      if (slot >= left && slot < held) keys[slot] = blink_nodes<Key>::greatest;
    });
    if (tile.lane() == 0) tree.nodes.heads[leaf].state = node_state::of(left);
  }
};

}  // namespace mangrove::detail
