#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/adjacency/detail/ordered_typed.hpp"
#include "mangrove/adjacency/slab_hash_result.hpp"

namespace mangrove {

/// An ordered container that nobody changes, as bodies, kernels and lambdas read it: trivially copyable, taken by
/// value, valid until the container next changes. Queries with NaN find nothing.
///
/// All functions that take a tile must be called by all its lanes with the same arguments and return the same in all.
/// Any tiles may call any of them at the same time. Cost: a line of memory for each level of the container; ranges also
/// what they visit.
///
/// @tparam View the container in bits: `detail::blink_view` or `detail::sorted_array_view`
template <class Key, class Value, class View>
class ordered_view {
  using typed = detail::ordered_typed<Key, Value>;
  using bits = detail::key_bits<Key>;
  using place = typename View::place;

 public:
  using entry = tree_entry<Key, Value>;

  ordered_view() = default;
  explicit ordered_view(const View& view) : view_(view) {}

  /// The value of a key.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE lookup_result<Value> find(const Tile& tile, Key key) const {
    const bits wanted = typed::encode(key);
    const place at = view_.lower_bound(tile, wanted);
    if (typed::refuses(key) || !view_.holds(at, wanted)) return {};
    return lookup_result<Value>(typed::value(view_.values_at(at), 0));
  }

  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE bool contains(const Tile& tile, Key key) const {
    const bits wanted = typed::encode(key);
    return !typed::refuses(key) && view_.holds(view_.lower_bound(tile, wanted), wanted);
  }

  /// Calls `f(n, key, value)` for the keys from `low` to `high`, both included, each in one lane, n counting them from
  /// 0 in order; for `limit` keys at most. @return how many
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE std::uint64_t range(const Tile& tile, Key low, Key high, std::uint64_t limit, F f) const {
    return walk(tile, low, high, limit, [&](std::uint64_t n, const place& at, std::uint64_t size) {
      tile.strided(size, [&](std::size_t k) {
        const entry met = entry_at(at, k);
        f(n + k, met.key, met.value);
      });
    });
  }

  /// How many keys lie from `low` to `high`, both included.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t count(const Tile& tile, Key low, Key high) const {
    return walk(tile, low, high, ~std::uint64_t{0}, [](auto...) {});
  }

  /// The smallest key above `key`, with its value.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE lookup_result<entry> successor(const Tile& tile, Key key) const {
    const bits below = typed::encode(key);
    if (typed::refuses(key) || below == static_cast<bits>(~bits{0})) return {};
    place at = view_.lower_bound(tile, static_cast<bits>(below + 1));
    if (!view_.is_key(at)) return {};
    return lookup_result<entry>(entry_at(at, 0));
  }

  /// The greatest key below `key`, with its value.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE lookup_result<entry> predecessor(const Tile& tile, Key key) const {
    if (typed::refuses(key)) return {};
    place at = view_.lower_bound(tile, typed::encode(key));
    if (!view_.step_back(at)) return {};
    return lookup_result<entry>(entry_at(at, 0));
  }

  /// Number of parts that `for_each_in` can visit apart; their keys ascend from part to part.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::size_t parts() const { return view_.parts(); }

  /// Calls `f(key, value)` for every key of one part, each in one lane; lane after lane in order.
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void for_each_in(const Tile& tile, std::size_t part, F f) const {
    std::uint64_t size = 0;
    const place first = view_.begin_of_part(part, size);
    tile.strided(size, [&](std::size_t k) {
      const entry at = entry_at(first, k);
      f(at.key, at.value);
    });
  }

  /// Calls `f(key, value)` for every key, each in one lane; in order but for lanes that run side by side.
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void for_each(const Tile& tile, F f) const {
    for (std::size_t part = 0; part < parts(); ++part) for_each_in(tile, part, f);
  }

 private:
  template <class Tile, class Each>
  MANGROVE_HOST_DEVICE std::uint64_t walk(const Tile& tile, Key low, Key high, std::uint64_t limit, Each each) const {
    if (typed::refuses(low) || typed::refuses(high) || typed::encode(high) < typed::encode(low)) return 0;
    const place first = view_.lower_bound(tile, typed::encode(low));
    return view_.walk_from(tile, first, typed::encode(high), limit, each);
  }

  /// The k-th key of a stretch and its value.
  [[nodiscard]] MANGROVE_HOST_DEVICE entry entry_at(const place& first, std::size_t k) const {
    return {typed::decode(view_.keys_at(first)[k]), typed::value(view_.values_at(first), k)};
  }

  View view_{};
};

}  // namespace mangrove
