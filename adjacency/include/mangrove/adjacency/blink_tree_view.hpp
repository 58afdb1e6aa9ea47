#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/adjacency/detail/blink_typed.hpp"
#include "mangrove/adjacency/detail/blink_view.hpp"
#include "mangrove/adjacency/slab_hash_result.hpp"

namespace mangrove {

/// A B-link tree at rest, as bodies, kernels and lambdas read it: trivially copyable, taken by value, valid until the
/// tree next changes. Queries with NaN find nothing.
///
/// All functions that take a tile must be called by all its lanes with the same arguments and return the same in all.
/// Any tiles may call any of them at the same time. Cost: one node of each level; ranges also what they visit.
template <class Key, class Value>
class blink_tree_view {
  using typed = detail::blink_typed<Key, Value>;
  using bits = detail::key_bits<Key>;

 public:
  using entry = tree_entry<Key, Value>;

  blink_tree_view() = default;
  explicit blink_tree_view(const detail::blink_view<bits>& tree) : tree_(tree) {}

  /// The value of a key.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE lookup_result<Value> find(const Tile& tile, Key key) const {
    const bits wanted = typed::encode(key);
    const detail::blink_place at = tree_.lower_bound(tile, wanted);
    if (typed::refuses(key) || !tree_.holds(at, wanted)) return {};
    return lookup_result<Value>(typed::value(tree_.nodes, at.leaf, at.slot));
  }

  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE bool contains(const Tile& tile, Key key) const {
    const bits wanted = typed::encode(key);
    return !typed::refuses(key) && tree_.holds(tree_.lower_bound(tile, wanted), wanted);
  }

  /// Calls `f(n, key, value)` for the keys from `low` to `high`, both included, each in one lane, n counting them from
  /// 0 in order; for `limit` keys at most. @return how many
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE std::uint64_t range(const Tile& tile, Key low, Key high, std::uint64_t limit, F f) const {
    if (typed::refuses(low) || typed::refuses(high)) return 0;
    return tree_.walk(tile, typed::encode(low), typed::encode(high), limit,
                      [&](std::uint64_t n, detail::node_index leaf, std::uint32_t slot, std::uint32_t size) {
                        tile.strided(size, [&](std::size_t k) {
                          const entry at = entry_at(leaf, slot + static_cast<std::uint32_t>(k));
                          f(n + k, at.key, at.value);
                        });
                      });
  }

  /// How many keys lie from `low` to `high`, both included.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t count(const Tile& tile, Key low, Key high) const {
    if (typed::refuses(low) || typed::refuses(high)) return 0;
    return tree_.walk(tile, typed::encode(low), typed::encode(high), ~std::uint64_t{0}, [](auto...) {});
  }

  /// The smallest key above `key`, with its value.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE lookup_result<entry> successor(const Tile& tile, Key key) const {
    detail::blink_place at{};
    if (typed::refuses(key) || !tree_.find_after(tile, typed::encode(key), at)) return {};
    return lookup_result<entry>(entry_at(at.leaf, at.slot));
  }

  /// The greatest key below `key`, with its value.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE lookup_result<entry> predecessor(const Tile& tile, Key key) const {
    detail::blink_place at{};
    if (typed::refuses(key) || !tree_.find_before(tile, typed::encode(key), at)) return {};
    return lookup_result<entry>(entry_at(at.leaf, at.slot));
  }

  /// Number of parts that `for_each_in` can visit apart; their keys ascend from part to part.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::size_t parts() const { return tree_.leaves; }

  /// Calls `f(key, value)` for every key of one part, each in one lane; lane after lane in order.
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void for_each_in(const Tile& tile, std::size_t part, F f) const {
    const detail::node_index leaf = tree_.order[part];
    tile.strided(tree_.nodes.count_of(leaf), [&](std::size_t slot) {
      const entry at = entry_at(leaf, static_cast<std::uint32_t>(slot));
      f(at.key, at.value);
    });
  }

  /// Calls `f(key, value)` for every key, each in one lane; in order but for lanes that run side by side.
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void for_each(const Tile& tile, F f) const {
    for (std::size_t part = 0; part < parts(); ++part) for_each_in(tile, part, f);
  }

 private:
  [[nodiscard]] MANGROVE_HOST_DEVICE entry entry_at(detail::node_index leaf, std::uint32_t slot) const {
    return {typed::decode(tree_.nodes.keys_of(leaf)[slot]), typed::value(tree_.nodes, leaf, slot)};
  }

  detail::blink_view<bits> tree_{};
};

}  // namespace mangrove
