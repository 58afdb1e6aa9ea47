#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "mangrove/adjacency/detail/ordered_types.hpp"
#include "mangrove/adjacency/detail/side_slot.hpp"
#include "mangrove/adjacency/key_order.hpp"
#include "mangrove/core/none.hpp"
#include "mangrove/core/resources.hpp"

namespace mangrove {

/// What ordered maps, and with `none` as values sets, have in common: operations on arrays in the backend's memory.
/// They return when they are done. Movable, not copyable.
///
/// Every key is valid but NaN, which updates refuse (`usage_error`) and queries find nothing for; -0.0 is 0.0.
/// Operations that change the container must run alone; those declared const may run beside each other. When memory is
/// refused they throw `memory_error` and leave the container as it was. `values` is null for sets.
///
/// @tparam Key a type of 4 or 8 bytes with a `key_order`: integers, floating-point numbers, types of your own
/// @tparam Value `none`, or any trivially copyable type of 4 or 8 bytes
/// @tparam Storage the container over bits, whose operations have the same names
template <backend B, class Key, class Value, class Storage>
class ordered_container {
  static_assert(std::is_trivially_copyable_v<Key> && (sizeof(Key) == 4 || sizeof(Key) == 8));
  static_assert(is_none<Value> || (std::is_trivially_copyable_v<Value> && (sizeof(Value) == 4 || sizeof(Value) == 8)));

 public:
  using key_type = Key;
  using mapped_type = Value;

  /// Replaces all that is there. Of equal keys the last one's value stays.
  /// @param keys [dim = count, count < 2^32] @param values [dim = count]
  /// @param sequence `sorted` spares the sort; it is checked. @throws usage_error when it is not so
  void bulk_build(const resources<B>& res, const Key* keys, const Value* values, std::size_t count,
                  key_sequence sequence = key_sequence::unsorted) {
    storage_.bulk_build(res, keys, values, count, sequence);
  }

  /// Inserts those of `count` keys that are not there yet. Of equal keys one wins, any of them.
  /// @param inserted [dim = count] when not null, becomes 1 where it was this key that was inserted, else 0
  /// @return how many were inserted
  std::size_t insert(const resources<B>& res, const Key* keys, const Value* values, std::size_t count,
                     std::uint8_t* inserted = nullptr) {
    return storage_.insert(res, keys, values, count, detail::on_existing::keep, inserted);
  }

  /// As `insert`, but keys that are there get the new value. Of equal keys the last one's value stays.
  std::size_t insert_or_assign(const resources<B>& res, const Key* keys, const Value* values, std::size_t count,
                               std::uint8_t* inserted = nullptr) {
    return storage_.insert(res, keys, values, count, detail::on_existing::assign, inserted);
  }

  /// Erases those of `count` keys that are there. Their memory is used again.
  /// @param erased [dim = count] when not null, becomes 1 where it was this key that was erased, else 0
  /// @return how many were erased
  std::size_t erase(const resources<B>& res, const Key* keys, std::size_t count, std::uint8_t* erased = nullptr) {
    return storage_.erase(res, keys, count, erased);
  }

  /// Sets `found[i]` to 1 and `values[i]` to the value when `keys[i]` is there, else `found[i]` to 0.
  /// Queries in order share their way down: on a GPU they are several times as fast.
  void find(const resources<B>& res, const Key* keys, std::size_t count, Value* values, std::uint8_t* found) const {
    storage_.find(res, keys, count, is_none<Value> ? nullptr : values, found);
  }

  /// Sets `found[i]` to 1 when `keys[i]` is there, else to 0.
  void contains(const resources<B>& res, const Key* keys, std::size_t count, std::uint8_t* found) const {
    storage_.find(res, keys, count, nullptr, found);
  }

  /// Sets `counts[i]` to the number of keys from `lows[i]` to `highs[i]`, both included. [dim of all = count]
  void count(const resources<B>& res, const Key* lows, const Key* highs, std::size_t count,
             std::uint64_t* counts) const {
    storage_.count(res, {lows, highs, count}, counts);
  }

  /// Finds the keys and values from `lows[i]` to `highs[i]`, both included, for every i: counts them, then writes range
  /// after range, each in order. [dim of lows, highs = count]
  /// @param offsets [dim = count + 1] becomes where each range starts in `keys` and `values`, the total at the end
  /// @param capacity room in `keys` and `values`; what lies beyond is counted and not written. 0 only counts
  /// @param values null when nobody wants them
  /// @return the total
  std::uint64_t range(const resources<B>& res, const Key* lows, const Key* highs, std::size_t count,
                      std::uint64_t* offsets, Key* keys, Value* values, std::uint64_t capacity) const {
    return storage_.range(res, {lows, highs, count}, offsets, keys, is_none<Value> ? nullptr : values, capacity);
  }

  /// As `range` in one pass, for at most `limit` keys of each range, the smallest: those of range i are
  /// `keys[i * limit ...]`. [dim of keys, values = count * limit]
  /// @param counts [dim = count] becomes how many keys of each range were written
  void range_up_to(const resources<B>& res, const Key* lows, const Key* highs, std::size_t count, std::uint32_t limit,
                   std::uint32_t* counts, Key* keys, Value* values) const {
    storage_.range_up_to(res, {lows, highs, count}, limit, counts, keys, is_none<Value> ? nullptr : values);
  }

  /// Finds the smallest key above each of `keys`, and its value where `values` is not null. [dim of all = count]
  /// @param found becomes 1 where there is one, else 0
  void successor(const resources<B>& res, const Key* keys, std::size_t count, Key* successors, Value* values,
                 std::uint8_t* found) const {
    storage_.neighbor(res, keys, count, detail::neighbor_side::after, successors, is_none<Value> ? nullptr : values,
                      found);
  }

  /// Finds the greatest key below each of `keys`; otherwise as `successor`.
  void predecessor(const resources<B>& res, const Key* keys, std::size_t count, Key* predecessors, Value* values,
                   std::uint8_t* found) const {
    storage_.neighbor(res, keys, count, detail::neighbor_side::before, predecessors, is_none<Value> ? nullptr : values,
                      found);
  }

  /// Writes all keys in order, and their values where `values` is not null, to arrays with room for `size()`.
  /// @return how many there are
  std::size_t retrieve_all(const resources<B>& res, Key* keys, Value* values) const {
    return storage_.retrieve_all(res, keys, is_none<Value> ? nullptr : values);
  }

  /// Erases all keys; keeps the memory.
  void clear(const resources<B>& res) { storage_.clear(res); }

  /// Gets memory for `keys` keys in all, so that building a container of them maps none.
  void reserve(const resources<B>& res, std::size_t keys) { storage_.reserve(res, keys); }

  /// Number of keys.
  [[nodiscard]] std::size_t size() const { return storage_.size(); }
  /// Bytes of the backend's memory that the container holds.
  [[nodiscard]] std::size_t bytes() const noexcept { return storage_.bytes(); }

  /// Checks the structure. For tests: copies all of it to the host. @return what is wrong, empty when nothing is
  [[nodiscard]] std::string check(const resources<B>& res) const { return storage_.check(res); }

 protected:
  /// Bytes of a value.
  static constexpr std::uint32_t value_bytes = is_none<Value> ? 0 : sizeof(Value);

  explicit ordered_container(Storage storage) : storage_(std::move(storage)) {}

  Storage storage_;
};

}  // namespace mangrove
