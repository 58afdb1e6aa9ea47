#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/adjacency/detail/slab_hash_storage.hpp"
#include "mangrove/adjacency/slab_hash_ref.hpp"

namespace mangrove {

/// A hash map in a backend's memory, of whole slabs with open addressing. Movable, not copyable.
///
/// Every value of the key type is a valid key. The operations here work on arrays in the backend's memory, return when
/// they are done, and must be the only ones on the map, except that those declared const may run beside each other;
/// tiles change and search it concurrently through `ref()`. When memory is refused they throw `memory_error` and leave
/// the map as it was.
///
/// @tparam Key std::uint32_t or std::uint64_t
/// @tparam Value any trivially copyable type of 4 or 8 bytes
template <backend B, class Key, class Value>
class slab_hash_map {
 public:
  using key_type = Key;
  using mapped_type = Value;
  using ref_type = slab_hash_ref<Key, Value>;

  /// An empty map with room for `expected_size` keys; it grows when it needs more. @throws usage_error on bad options
  explicit slab_hash_map(const resources<B>& res, std::size_t expected_size = 0, const slab_hash_options& options = {})
      : storage_(res, expected_size, options) {}

  /// Inserts those of `count` keys that are not in the map yet. Of equal keys one wins, any of them.
  /// @param inserted when not null, becomes not 0 where it was this key that was inserted, else 0
  /// @return how many were inserted
  /// Cost: a probe a key. Where the table may have become too full, another probe and a sort to find out, and then a
  /// rebuild; none of these happens, and no memory is asked for, while keys and tombstones plus `count` stay within the
  /// maximal load (see `reserve`) and `inserted` is given.
  std::size_t insert(const resources<B>& res, const Key* keys, const Value* values, std::size_t count,
                     std::uint8_t* inserted = nullptr) {
    return storage_.insert(res, keys, values, count, detail::on_existing::keep, inserted);
  }

  /// Inserts `count` keys none of which is in the map or among them twice.
  /// Cost: a probe a key, and a rebuild where the table would become too full: nothing is looked for.
  void insert_absent(const resources<B>& res, const Key* keys, const Value* values, std::size_t count) {
    storage_.insert_absent(res, keys, values, count);
  }

  /// As `insert`, but keys that are in the map get the new value. Of equal keys' values any one stays.
  std::size_t insert_or_assign(const resources<B>& res, const Key* keys, const Value* values, std::size_t count,
                               std::uint8_t* inserted = nullptr) {
    return storage_.insert(res, keys, values, count, detail::on_existing::assign, inserted);
  }

  /// Erases those of `count` keys that are in the map.
  /// @param erased when not null, becomes not 0 where it was this key that was erased, else 0; then no memory is asked
  /// for
  /// @return how many were erased
  std::size_t erase(const resources<B>& res, const Key* keys, std::size_t count, std::uint8_t* erased = nullptr) {
    return storage_.erase(res, keys, count, erased);
  }

  /// Sets `found[i]` to 1 and `values[i]` to the value when `keys[i]` is in the map, else `found[i]` to 0.
  void find(const resources<B>& res, const Key* keys, std::size_t count, Value* values, std::uint8_t* found) const {
    storage_.find(res, keys, count, values, found);
  }

  /// Sets `found[i]` to 1 when `keys[i]` is in the map, else to 0.
  void contains(const resources<B>& res, const Key* keys, std::size_t count, std::uint8_t* found) const {
    storage_.contains(res, keys, count, found);
  }

  /// How many of the `count` keys are in the map, repeats counted as often as they occur.
  [[nodiscard]] std::size_t count(const resources<B>& res, const Key* keys, std::size_t count) const {
    return storage_.count(res, keys, count);
  }

  /// Writes all keys and their values, in no order, to arrays with room for `size()`. @return how many there are
  std::size_t retrieve_all(const resources<B>& res, Key* keys, Value* values) const {
    return storage_.retrieve_all(res, keys, values);
  }

  /// Makes room for `size` keys in all, so that the map does not grow before.
  void reserve(const resources<B>& res, std::size_t size) { storage_.reserve(res, size); }

  /// Rebuilds the table with `buckets` buckets, or as many as the keys need within the maximal load. May shrink it.
  void rehash(const resources<B>& res, std::size_t buckets) { storage_.rehash(res, buckets); }

  /// Rebuilds the table without tombstones, at the same size; does nothing when there are none.
  void flush(const resources<B>& res) { storage_.flush(res); }

  /// Erases all keys; keeps the memory.
  void clear(const resources<B>& res) { storage_.clear(res); }

  /// Number of keys, exact. Cost: reads one word; the whole table when tiles have changed it since the last operation
  /// here.
  [[nodiscard]] std::size_t size(const resources<B>& res) const { return storage_.size(res); }
  /// Number of slots that erased keys take up. Cost: as `size`.
  [[nodiscard]] std::size_t tombstones(const resources<B>& res) const { return storage_.tombstones(res); }
  /// Keys and tombstones over slots. Cost: as `size`.
  [[nodiscard]] double load_factor(const resources<B>& res) const { return storage_.load_factor(res); }

  [[nodiscard]] std::size_t buckets() const noexcept { return storage_.buckets(); }
  [[nodiscard]] std::size_t slots() const noexcept { return storage_.slots(); }
  /// Bytes of the backend's memory.
  [[nodiscard]] std::size_t bytes() const noexcept { return storage_.bytes(); }

  /// A handle for tiles, valid until the map is destroyed, moved into or rebuilt (by growing, `rehash` or `flush`).
  [[nodiscard]] ref_type ref() const noexcept { return ref_type(storage_.table()); }

 private:
  detail::slab_hash_storage<B, Key, detail::value_bits<Value>> storage_;
};

}  // namespace mangrove
