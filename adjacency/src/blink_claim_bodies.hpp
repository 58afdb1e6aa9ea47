#pragma once

#include "mangrove/adjacency/detail/blink_claims.hpp"
#include "mangrove/adjacency/detail/blink_view.hpp"
#include "ordered_batch.hpp"

/// @file
/// Steps of inserting a batch without sorting it: every key claims its leaf, then leaves are told apart by whether they
/// have room. Neither changes the tree.

namespace mangrove::detail {

/// Claims that the lanes of a tile hold one each, and leaves have room for; leaves with more are crowded.
inline constexpr std::uint32_t few_claims = 8;

/// Body, once per key: finds its leaf and joins the chain of the keys that claim it.
template <class Key>
struct claim_leaf {
  blink_view<Key> tree;
  const void* keys;
  claim_arrays<Key> claims;
  std::uint8_t* inserted;  ///< where the caller wants to know, else null
  claim_tally* tally;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const Key raw = load_bits<Key>(keys, i);
    if (tree.codec.refuses(raw)) store_relaxed(&tally->refused, 1U);
    if (inserted != nullptr) inserted[i] = 0;
    const Key key = tree.codec.encode(raw);
    const std::uint32_t rank = tree.rank_of(tile, key);
    if (load_relaxed(&tally->skewed) != 0) return;  // many keys want one leaf: they would wait for each other here
    leaf_claims& leaf = claims.of_rank[rank];
    const std::uint32_t earlier = fetch_add(&leaf.count, 1U);
    if (earlier == 0) claims.listed[count_up_one(&tally->touched)] = rank;
    if (earlier >= blink_nodes<Key>::slots) {
      store_relaxed(&tally->skewed, 1U);
      return;
    }
    claims.keys[i] = {key, exchange(&leaf.last, static_cast<std::uint32_t>(i) + 1)};
  }
};

/// Body, once per listed leaf: notes what is claimed of it, and forgets the claims. Leaves that
/// may be too small are listed apart.
template <class Key>
struct sort_out_claims {
  blink_view<Key> tree;
  claim_arrays<Key> claims;
  claim_tally* tally;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const std::uint32_t rank = claims.listed[i];
    const leaf_claims of = claims.of_rank[rank];
    claims.of_rank[rank] = {};
    const node_index leaf = tree.order[rank];
    const std::uint32_t held = tree.nodes.count_of(leaf);
    const std::uint32_t count = of.count < blink_nodes<Key>::slots ? of.count : blink_nodes<Key>::slots;
    touched_leaf touched{leaf, rank, of.last, static_cast<std::uint16_t>(held), static_cast<std::uint16_t>(count)};
    if (of.count > few_claims || held + of.count > blink_nodes<Key>::slots) {
      claims.crowded[count_up_one(&tally->crowded)] = touched;
      touched.claims = 0;
    }
    claims.touched[i] = touched;
  }
};

}  // namespace mangrove::detail
