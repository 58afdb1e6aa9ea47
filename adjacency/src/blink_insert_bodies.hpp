#pragma once

#include "mangrove/adjacency/detail/blink_root.hpp"
#include "mangrove/adjacency/detail/blink_view.hpp"
#include "ordered_batch.hpp"

/// @file
/// Steps of inserting a sorted batch: find out which keys are new, group them by leaf, see how many leaves each leaf
/// becomes, write these.

namespace mangrove::detail {

/// Body, once per key in order: the leaf that it belongs to, and whether it is the one of its equals that is new.
template <class Key>
struct locate_new_key {
  blink_view<Key> tree;
  batch_view<Key> batch;
  on_existing existing;
  std::uint32_t* fresh;
  std::uint32_t* ranks;
  std::uint8_t* inserted;  ///< where the caller wants to know, else null

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const Key key = batch.key(i);
    const bool chosen = existing == on_existing::keep ? batch.first_of_equals(i) : batch.last_of_equals(i);
    const blink_place at = tree.lower_bound(tile, key);
    const bool is_fresh = chosen && !tree.holds(at, key);
    fresh[i] = is_fresh ? 1 : 0;
    ranks[i] = at.rank;
    if (inserted != nullptr) inserted[batch.source(i)] = is_fresh ? 1 : 0;
  }
};

/// The new keys of a batch, in order, and which of them go to which leaf. Leaves are meant by their ranks.
template <class Key>
struct new_keys {
  Key* keys;
  std::uint32_t* sources;
  std::uint32_t* ranks;
  std::uint32_t* begins;  ///< zero where a leaf gets nothing
  std::uint32_t* ends;
};

/// Body, once per key in order: keeps the new ones.
template <class Key>
struct pick_new_key {
  batch_view<Key> batch;
  const std::uint32_t* before;
  const std::uint32_t* ranks;
  new_keys<Key> to;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const std::uint32_t at = before[i];
    if (before[i + 1] == at) return;
    to.keys[at] = batch.key(i);
    to.sources[at] = batch.source(i);
    to.ranks[at] = ranks[i];
  }
};

/// Body, for every possible new key: notes where a leaf's share begins and ends.
template <class Key>
struct mark_shares {
  new_keys<Key> fresh;
  const std::uint32_t* count;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    if (i >= *count) return;
    const std::uint32_t rank = fresh.ranks[i];
    if (i == 0 || fresh.ranks[i - 1] != rank) fresh.begins[rank] = static_cast<std::uint32_t>(i);
    if (i + 1 == *count || fresh.ranks[i + 1] != rank) fresh.ends[rank] = static_cast<std::uint32_t>(i + 1);
  }
};

/// Body, once per leaf: how many leaves more its keys and the new ones take.
template <class Key>
struct plan_leaf {
  blink_view<Key> tree;
  new_keys<Key> fresh;
  std::uint32_t keys_per_leaf;
  std::uint32_t* extra;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const std::uint32_t more = fresh.ends[i] - fresh.begins[i];
    if (more == 0) {
      extra[i] = 0;
      return;
    }
    const std::uint64_t total = std::uint64_t{tree.nodes.count_of(tree.order[i])} + more;
    extra[i] = total <= blink_view<Key>::slots
                   ? 0
                   : static_cast<std::uint32_t>((total + keys_per_leaf - 1) / keys_per_leaf) - 1;
  }
};

/// Body, once: what the host has to know.
struct sum_plan {
  const std::uint32_t* fresh;
  const std::uint32_t* extra;
  blink_tally* tally;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t) const {
    if (tile.lane() != 0) return;
    tally->fresh = *fresh;
    tally->extra = *extra;
  }
};

/// Body, once per key in order: gives keys that are there already their new values.
template <class Key>
struct assign_existing {
  blink_view<Key> tree;
  batch_view<Key> batch;
  const std::uint32_t* before;
  const std::uint32_t* ranks;
  const void* values;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    if (before[i + 1] != before[i] || !batch.last_of_equals(i)) return;
    const blink_place at = tree.lower_bound_in(tile, ranks[i], batch.key(i));
    move_value(tree.nodes.values_of(at.leaf), at.slot, values, batch.source(i), tree.nodes.value_bytes);
  }
};

/// Body, once per leaf: where it stands among the leaves that there will be.
struct spread_order {
  const node_index* order;
  const std::uint32_t* shift;
  node_index* to;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    to[i + shift[i]] = order[i];
  }
};

}  // namespace mangrove::detail
