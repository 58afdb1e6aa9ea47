#pragma once

#include "blink_index_bodies.hpp"
#include "leaf_merge.hpp"
#include "mangrove/adjacency/detail/blink_root.hpp"

/// @file
/// Leaves and the keys that were gathered for them become leaves.

namespace mangrove::detail {

/// Whether the leaves of a warp are worked on in step.
enum class leaf_pace { own, in_step };

/// Body, once per leaf that gets keys: inserts them, if it has room for all.
template <class Key, class Value, leaf_pace Pace>
struct merge_dealt {
  static constexpr int blocks_at_once = 5;
  static constexpr bool in_step = Pace == leaf_pace::in_step;
  dealt_batch<Key> batch;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i, bool is_there = true) const {
    if (!batch.tally->may_go(batch.granted)) return;
    dealt_leaf of = is_there ? batch.bins.touched[i] : dealt_leaf{};
    is_there = is_there && !of.is_crowded();
    if (!is_there) of = dealt_leaf{};
    if (!any_in_step(tile, is_there)) return;
    const leaf_merge<Key, Value, Tile, few_keys> merge(tile, batch, of);
    merge.write(
        tile,
        [&](std::uint32_t n) {
          return leaf_place{of.leaf, n};
        },
        [](std::uint32_t, Key) {});
    if (tile.lane() != 0 || !is_there) return;
    const std::uint32_t more = merge.fresh();
    if (more != 0) batch.tree.nodes.heads[of.leaf].state = node_state::of(of.held + more);
    batch.tally->reject(i, of.count() - more);
  }
};

/// Body, once per crowded leaf: inserts the keys that it gets, into as many leaves as it takes.
template <class Key, class Value>
struct spread_crowded {
  static constexpr std::uint32_t slots = blink_nodes<Key>::slots;
  dealt_batch<Key> batch;
  leaf_supply supply;
  node_index* order;  ///< of the leaves that there will be

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    if (!batch.tally->may_go(batch.granted)) return;
    const crowded_leaf plan = batch.bins.crowded[i];
    const dealt_leaf& of = plan.of;
    const leaf_merge<Key, Value, Tile, most_for_leaf> merge(tile, batch, of);
    const std::uint32_t total = of.held + merge.fresh();
    const pieces to = pieces_of(plan, of, total);
    leaf_head<Key>* const heads = batch.tree.nodes.heads;
    const leaf_head<Key> was = heads[of.leaf];
    merge.write(
        tile, [&](std::uint32_t n) { return to.place_of(n); },
        [&](std::uint32_t n, Key key) {
          if ((n + 1) % to.share != 0 || n + 1 == total) return;
          const std::uint32_t piece = n / to.share;
          heads[to.leaf(piece)].high = key;
          heads[to.leaf(piece + 1)].low = static_cast<Key>(key + 1);
        });
    for (std::uint32_t piece = 0; piece <= plan.extra; ++piece) finish(tile, to, piece, of, total, was);
  }

 private:
  /// The leaves that a leaf becomes, each but the last with the same number of keys.
  struct pieces {
    node_index first;
    leaf_supply rest;
    std::uint32_t taken;  ///< before those of the rest
    std::uint32_t extra;
    std::uint32_t share;

    [[nodiscard]] MANGROVE_HOST_DEVICE node_index leaf(std::uint32_t piece) const {
      return piece == 0 ? first : rest.take(taken + piece - 1);
    }
    [[nodiscard]] MANGROVE_HOST_DEVICE leaf_place place_of(std::uint32_t n) const {
      std::uint32_t piece = 0;
      for (; n >= share; n -= share) ++piece;
      return {leaf(piece), n};
    }
  };

  [[nodiscard]] MANGROVE_HOST_DEVICE pieces pieces_of(const crowded_leaf& plan, const dealt_leaf& of,
                                                      std::uint32_t total) const {
    const std::uint32_t taken = batch.bins.before[of.rank / batch.bins.shape.leaves] + plan.before;
    const std::uint32_t share = plan.extra == 0 ? slots : (total + plan.extra) / (plan.extra + 1);
    return {of.leaf, supply, taken, plan.extra, share};
  }

  /// Clears the slots of a piece that are not used, and links it.
  template <class Tile>
  MANGROVE_HOST_DEVICE void finish(const Tile& tile, const pieces& to, std::uint32_t piece, const dealt_leaf& of,
                                   std::uint32_t total, const leaf_head<Key>& was) const {
    const blink_nodes<Key>& nodes = batch.tree.nodes;
    const node_index leaf = to.leaf(piece);
    const std::uint32_t begin = piece * to.share;
    const std::uint32_t count = total - begin < to.share ? total - begin : to.share;
    tile.strided(slots - count, [&](std::size_t k) { nodes.keys_of(leaf)[count + k] = blink_nodes<Key>::greatest; });
    if (tile.lane() != 0) return;
    leaf_head<Key>& head = nodes.heads[leaf];
    head.state = node_state::of(count);
    head.right = piece == to.extra ? was.right : to.leaf(piece + 1);
    if (piece == to.extra) head.high = was.high;
    if (piece != 0) order[of.rank + to.taken + piece] = leaf;
  }
};

/// Body, once per leaf that was there: where it stands among the leaves that there will be.
template <class Key>
struct spread_dealt {
  dealt_batch<Key> batch;
  node_index* to;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    if (batch.tally->extra == 0 || !batch.tally->may_go(batch.granted)) return;
    const bin_arrays<Key>& bins = batch.bins;
    const std::size_t bin = i / bins.shape.leaves;
    const std::uint32_t before = bins.before[bin];
    const bool has_more = bins.before[bin + 1] != before;
    to[i + before + (has_more ? bins.shift[i] : 0)] = batch.tree.order[i];
  }
};

/// Body, once for each inner node that there may be: builds those above the leaves that there will be.
template <class Key>
struct index_dealt {
  dealt_batch<Key> batch;
  const node_index* order;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::uint32_t extra = batch.tally->extra;
    if (extra == 0 || !batch.tally->may_go(batch.granted)) return;
    build_inner_node<Key>{batch.tree.nodes, order, batch.tree.leaves + extra}(tile, i);
  }
};

}  // namespace mangrove::detail
