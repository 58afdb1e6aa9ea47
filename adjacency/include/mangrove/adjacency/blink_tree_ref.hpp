#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/adjacency/detail/blink_typed.hpp"
#include "mangrove/adjacency/detail/blink_writer.hpp"

namespace mangrove {

/// A B-link tree as tiles change it and read it meanwhile: trivially copyable, taken by value, valid from the owner's
/// `open` to its `settle`.
///
/// All functions that take a tile must be called by all its lanes with the same arguments and return the same in all.
/// Any tiles may call any of them at the same time; those on one key take effect at one moment between call and return:
///
/// | at the same time, on one key | what happens |
/// | --- | --- |
/// | insert, insert | exactly one inserts, with its value; the others find that the key exists |
/// | insert_or_assign, any insert | at most one inserts; the value is the last one assigned, if any was |
/// | erase, erase | exactly one erases |
/// | erase, insert or insert_or_assign | as if one came first |
/// | find or contains, any | as if one came first |
/// | range, for_each, any | what a leaf holds of it is seen as of one moment, leaf after leaf in order |
/// | successor, predecessor, any | as a range: a key that is there all the time is not passed over |
///
/// What a tile wrote before it inserted or assigned a value is visible to a tile that finds the value, on CUDA once
/// that has called `cuda::atomic_thread_fence(cuda::std::memory_order_acquire, cuda::thread_scope_device)`: to find a
/// value alone does not empty the L1 cache. A change locks a leaf, a new leaf its parent, a full inner node itself and
/// its parent. Nobody waits while he holds a lock, so nothing waits for ever. Reads wait for a change of their leaf.
/// Cost: a node of each level.
template <class Key, class Value>
class blink_tree_ref {
  using typed = detail::blink_typed<Key, Value>;
  using bits = detail::key_bits<Key>;
  using value_bits = detail::value_bits<Value>;
  using writer = detail::blink_writer<bits, value_bits>;

 public:
  using entry = tree_entry<Key, Value>;

  blink_tree_ref() = default;
  blink_tree_ref(const detail::blink_nodes<bits>& nodes, detail::blink_root<bits>* root) : tree_(nodes, root) {}

  /// Inserts a key that is not there yet. `full` is the answer where the inserts that the tree was opened for are used
  /// up. @pre the key is no NaN
  template <class Tile>
  MANGROVE_HOST_DEVICE insert_result insert(const Tile& tile, Key key, Value value = {}) const {
    return tree_.insert(tile, typed::encode(key), detail::to_bits(value), detail::on_existing::keep);
  }

  /// Gives a key a value, whether it is there or not. @pre the key is no NaN
  template <class Tile>
  MANGROVE_HOST_DEVICE assign_result insert_or_assign(const Tile& tile, Key key, Value value) const {
    switch (tree_.insert(tile, typed::encode(key), detail::to_bits(value), detail::on_existing::assign)) {
      case insert_result::inserted:
        return assign_result::inserted;
      case insert_result::exists:
        return assign_result::assigned;
      default:
        return assign_result::full;
    }
  }

  /// Erases a key. @return whether it was there, and it was this call that erased it
  template <class Tile>
  MANGROVE_HOST_DEVICE bool erase(const Tile& tile, Key key) const {
    return !typed::refuses(key) && tree_.erase(tile, typed::encode(key));
  }

  /// The value of a key.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE lookup_result<Value> find(const Tile& tile, Key key) const {
    if (typed::refuses(key)) return {};
    const auto found = tree_.find(tile, typed::encode(key));
    return found ? lookup_result<Value>(detail::from_bits<Value>(*found)) : lookup_result<Value>();
  }

  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE bool contains(const Tile& tile, Key key) const {
    return static_cast<bool>(find(tile, key));
  }

  /// Calls `f(n, key, value)` for the keys from `low` to `high`, both included, each in one lane, n counting them from
  /// 0 in order; for `limit` keys at most. @return how many
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE std::uint64_t range(const Tile& tile, Key low, Key high, std::uint64_t limit, F f) const {
    if (typed::refuses(low) || typed::refuses(high)) return 0;
    return tree_.walk(tile, typed::encode(low), typed::encode(high), limit,
                      [&](std::uint64_t n, bits key, value_bits value) {
                        f(n, typed::decode(key), detail::from_bits<Value>(value));
                      });
  }

  /// How many keys lie from `low` to `high`, both included.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t count(const Tile& tile, Key low, Key high) const {
    return range(tile, low, high, ~std::uint64_t{0}, [](auto...) {});
  }

  /// The smallest key above `key`, with its value.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE lookup_result<entry> successor(const Tile& tile, Key key) const {
    constexpr bits greatest = detail::blink_nodes<bits>::greatest;
    const bits from = typed::encode(key);
    if (typed::refuses(key) || from == greatest) return {};
    bits found = 0;
    value_bits value{};
    int holder = -1;
    const auto keep = [&](std::uint64_t, bits next, value_bits its) {
      found = next;
      value = its;
      holder = tile.lane();
    };
    if (tree_.walk(tile, static_cast<bits>(from + 1), greatest, 1, keep) == 0) return {};
    holder = tile.sum(holder + 1) - 1;  // one lane has it
    if constexpr (!is_none<Value>) value = tile.broadcast(value, holder);
    return lookup_result<entry>(entry{typed::decode(tile.broadcast(found, holder)), detail::from_bits<Value>(value)});
  }

  /// The greatest key below `key`, with its value.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE lookup_result<entry> predecessor(const Tile& tile, Key key) const {
    const bits from = typed::encode(key);
    bits found = 0;
    value_bits value{};
    if (typed::refuses(key) || from == 0 || !tree_.find_last(tile, static_cast<bits>(from - 1), found, value)) {
      return {};
    }
    return lookup_result<entry>(entry{typed::decode(found), detail::from_bits<Value>(value)});
  }

  /// Calls `f(key, value)` for every key, each in one lane, leaf after leaf in order.
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void for_each(const Tile& tile, F f) const {
    tree_.walk(
        tile, 0, detail::blink_nodes<bits>::greatest, ~std::uint64_t{0},
        [&](std::uint64_t, bits key, value_bits value) { f(typed::decode(key), detail::from_bits<Value>(value)); });
  }

 private:
  writer tree_;
};

}  // namespace mangrove
