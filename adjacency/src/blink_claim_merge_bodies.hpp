#pragma once

#include "blink_claim_bodies.hpp"
#include "blink_claim_group.hpp"
#include "blink_merge_bodies.hpp"

/// @file
/// Leaves and the keys that claim them become leaves.

namespace mangrove::detail {

/// What merging takes.
template <class Key>
struct claimed_batch {
  blink_nodes<Key> nodes;
  const chained_key<Key>* keys;
  const void* values;  ///< the caller's, by number of the key
  on_existing existing;
  std::uint8_t* inserted;  ///< where the caller wants to know, else null
  claim_tally* tally;

  MANGROVE_HOST_DEVICE void note_inserted(std::uint32_t source) const {
    if (inserted != nullptr) inserted[source] = 1;
  }
};

/// Body, once per touched leaf: inserts the keys that claim it, for which it has room.
template <class Key>
struct merge_claims {
  /// What is known when this runs.
  enum class stage : std::uint8_t {
    unsure,  ///< nothing may change unless all leaves have room
    certain
  };
  static constexpr std::uint32_t slots = blink_nodes<Key>::slots;

  claimed_batch<Key> batch;
  const touched_leaf* touched;
  stage known;

  static constexpr int prefetch_stages = 1;
  template <int Stage>
  MANGROVE_HOST_DEVICE void prefetch(std::size_t i) const {
    if (touched[i].claims == 0) return;
    const auto* const keys = reinterpret_cast<const std::byte*>(batch.nodes.keys_of(touched[i].leaf));
    const std::byte* const values = batch.nodes.values_of(touched[i].leaf);
    mangrove::prefetch(keys);
    mangrove::prefetch(keys + slab_bytes / 2);
    mangrove::prefetch(values);
    mangrove::prefetch(values + slots * batch.nodes.value_bytes / 2);
    mangrove::prefetch(batch.keys + touched[i].last - 1);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    if (known == stage::unsure && !batch.tally->all_fit()) return;
    const touched_leaf of = touched[i];
    if (of.claims != 0) merge(tile, i, of);
  }

 private:
  template <class Tile>
  MANGROVE_HOST_DEVICE void merge(const Tile& tile, std::size_t i, const touched_leaf& of) const {
    constexpr int rows = (slots + Tile::lanes - 1) / Tile::lanes;
    const blink_nodes<Key>& nodes = batch.nodes;
    Key* const keys = nodes.keys_of(of.leaf);
    std::byte* const values = nodes.values_of(of.leaf);
    Key held[rows];
    std::uint64_t held_values[rows];
    std::uint32_t moved_by[rows];
    unrolled<rows>([&](int row) {
      const std::uint32_t slot = row * Tile::lanes + tile.lane();
      held[row] = slot < of.held ? keys[slot] : Key{0};
      held_values[row] = slot < of.held ? value_at(values, slot, nodes.value_bytes) : 0;
      moved_by[row] = 0;
    });
    group_of<Tile> group(tile, batch.keys, of.last, of.claims);
    std::uint64_t own_values[group_of<Tile>::rows];  // asked for early
    group.own(tile, [&](int row, std::uint32_t source) {
      own_values[row] = value_at(batch.values, source, nodes.value_bytes);
    });
    group.resolve(tile, keys, of.held, batch.existing);
    group.each_new_slot(tile, [&](std::uint32_t at) {
      unrolled<rows>([&](int row) {
        const std::uint32_t slot = row * Tile::lanes + tile.lane();
        moved_by[row] += at <= slot ? 1 : 0;
      });
    });
    tile.sync();  // all have read what some write now
    unrolled<rows>([&](int row) {
      const std::uint32_t slot = row * Tile::lanes + tile.lane();
      if (slot >= of.held || moved_by[row] == 0) return;
      keys[slot + moved_by[row]] = held[row];
      put_value(values, slot + moved_by[row], held_values[row], nodes.value_bytes);
    });
    write_claims(tile, group, own_values, keys, values);
    const std::uint32_t more = group.count_new(tile);
    if (tile.lane() != 0) return;
    if (more != 0) nodes.heads[of.leaf].state = node_state::of(of.held + more);
    batch.tally->count(i, of.claims - more, 0);
  }

  template <class Tile>
  using group_of = claim_group<Key, Tile, few_claims>;

  template <class Tile>
  MANGROVE_HOST_DEVICE void write_claims(const Tile& tile, const group_of<Tile>& group, const std::uint64_t* own_values,
                                         Key* keys, std::byte* values) const {
    group.own_new([&](int row, const auto& claim) {
      const std::uint32_t slot = claim.slot + claim.before;
      keys[slot] = claim.key;
      put_value(values, slot, own_values[row], batch.nodes.value_bytes);
      batch.note_inserted(claim.source);
    });
    if (batch.existing == on_existing::keep) return;
    tile.sync();  // values that were there have moved
    group.own_there(tile, [&](int row, std::uint32_t, const auto& claim) {
      put_value(values, claim.slot + claim.before, own_values[row], batch.nodes.value_bytes);
    });
  }
};

/// What becomes of crowded leaves. Each has as many places for keys as a leaf has slots: new keys in order from the
/// first on, and from the last on back the slots of keys that get new values.
template <class Key>
struct crowd_plan {
  struct shares {
    std::uint32_t fresh;
    std::uint32_t assigned;
  };
  Key* keys;
  std::uint32_t* sources;
  shares* of;            ///< [dim = crowded leaves]
  std::uint32_t* extra;  ///< [dim = leaves] how many leaves more each becomes; zero for all others
};

/// Body, once per crowded leaf: which keys are new, and how many leaves more they take. Changes nothing.
template <class Key>
struct plan_crowded {
  static constexpr std::uint32_t slots = blink_nodes<Key>::slots;
  claimed_batch<Key> batch;
  const touched_leaf* crowded;
  crowd_plan<Key> plan;
  std::uint32_t keys_per_leaf;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const touched_leaf of = crowded[i];
    claim_group<Key, Tile, slots> group(tile, batch.keys, of.last, of.claims);
    group.resolve(tile, batch.nodes.keys_of(of.leaf), of.held, batch.existing);
    const std::size_t begin = i * slots;
    group.own_new([&](int, const auto& claim) {
      plan.keys[begin + claim.before] = claim.key;
      plan.sources[begin + claim.before] = claim.source;
      batch.note_inserted(claim.source);
    });
    const std::uint32_t there = group.own_there(tile, [&](int, std::uint32_t n, const auto& claim) {
      plan.keys[begin + slots - 1 - n] = claim.slot;
      plan.sources[begin + slots - 1 - n] = claim.source;
    });
    const std::uint32_t more = group.count_new(tile);
    if (tile.lane() != 0) return;
    const std::uint32_t total = of.held + more;
    plan.of[i] = {more, batch.existing == on_existing::assign ? there : 0};
    const std::uint32_t extra = total <= slots ? 0 : (total + keys_per_leaf - 1) / keys_per_leaf - 1;
    plan.extra[of.rank] = extra;
    batch.tally->count(i, of.claims - more, extra);
  }
};

/// Body, once per crowded leaf: applies the plan.
template <class Key>
struct rewrite_crowded {
  static constexpr std::uint32_t slots = blink_nodes<Key>::slots;
  merge_input<Key> in;
  const touched_leaf* crowded;
  const typename crowd_plan<Key>::shares* plan;
  leaf_supply supply;
  node_index* order;  ///< of the leaves that there will be

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const touched_leaf of = crowded[i];
    const auto begin = static_cast<std::uint32_t>(i * slots);
    const blink_nodes<Key>& nodes = in.tree.nodes;
    tile.strided(plan[i].assigned, [&](std::size_t n) {
      const std::size_t at = begin + slots - 1 - n;
      move_value(nodes.values_of(of.leaf), in.fresh.keys[at], in.values, in.fresh.sources[at], nodes.value_bytes);
    });
    if (plan[i].fresh == 0) return;
    tile.sync();
    const std::uint32_t first = in.shift[of.rank];
    const std::uint32_t pieces = in.shift[of.rank + 1] - first + 1;
    const typename merge_input<Key>::leaf_share share{of.leaf, of.held, begin, plan[i].fresh, pieces};
    for (std::uint32_t piece = 1; piece < pieces; ++piece) {
      const node_index leaf = supply.take(first + piece - 1);
      in.write_piece(tile, share, piece, leaf);
      if (tile.lane() == 0) order[of.rank + first + piece] = leaf;
    }
    tile.sync();
    in.rewrite_first_piece(tile, share);
    if (tile.lane() == 0) link(of.leaf, first, pieces);
  }

 private:
  MANGROVE_HOST_DEVICE void link(node_index leaf, std::uint32_t first, std::uint32_t pieces) const {
    leaf_head<Key>* const heads = in.tree.nodes.heads;
    const node_index right = heads[leaf].right;
    for (std::uint32_t piece = 1; piece < pieces; ++piece) {
      const node_index next = supply.take(first + piece - 1);
      heads[leaf].right = next;
      heads[next].low = static_cast<Key>(heads[leaf].high + 1);
      leaf = next;
    }
    heads[leaf].right = right;
  }
};

}  // namespace mangrove::detail
