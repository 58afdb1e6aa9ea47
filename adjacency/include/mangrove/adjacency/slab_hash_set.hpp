#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/adjacency/detail/slab_hash_storage.hpp"
#include "mangrove/adjacency/slab_hash_ref.hpp"

namespace mangrove {

/// A hash set in a backend's memory: `slab_hash_map` without values, with the same rules and costs. Movable, not
/// copyable.
///
/// @tparam Key std::uint32_t or std::uint64_t
template <backend B, class Key>
class slab_hash_set {
 public:
  using key_type = Key;
  using ref_type = slab_hash_ref<Key, none>;

  /// An empty set with room for `expected_size` keys; it grows when it needs more. @throws usage_error on bad options
  explicit slab_hash_set(const resources<B>& res, std::size_t expected_size = 0, const slab_hash_options& options = {})
      : storage_(res, expected_size, options) {}

  /// Inserts those of `count` keys that are not in the set yet.
  /// @param inserted when not null, becomes not 0 where it was this key that was inserted, else 0
  /// @return how many were inserted
  std::size_t insert(const resources<B>& res, const Key* keys, std::size_t count, std::uint8_t* inserted = nullptr) {
    return storage_.insert(res, keys, nullptr, count, detail::on_existing::keep, inserted);
  }

  /// As `slab_hash_map::insert_absent`.
  void insert_absent(const resources<B>& res, const Key* keys, std::size_t count) {
    storage_.insert_absent(res, keys, nullptr, count);
  }

  /// Erases those of `count` keys that are in the set.
  /// @param erased when not null, becomes not 0 where it was this key that was erased, else 0
  /// @return how many were erased
  std::size_t erase(const resources<B>& res, const Key* keys, std::size_t count, std::uint8_t* erased = nullptr) {
    return storage_.erase(res, keys, count, erased);
  }

  /// Sets `found[i]` to 1 when `keys[i]` is in the set, else to 0.
  void contains(const resources<B>& res, const Key* keys, std::size_t count, std::uint8_t* found) const {
    storage_.contains(res, keys, count, found);
  }

  /// How many of the `count` keys are in the set, repeats counted as often as they occur.
  [[nodiscard]] std::size_t count(const resources<B>& res, const Key* keys, std::size_t count) const {
    return storage_.count(res, keys, count);
  }

  /// Writes all keys, in no order, to an array with room for `size()`. @return how many there are
  std::size_t retrieve_all(const resources<B>& res, Key* keys) const {
    return storage_.retrieve_all(res, keys, nullptr);
  }

  /// Makes room for `size` keys in all, so that the set does not grow before.
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

  /// A handle for tiles, valid until the set is destroyed, moved into or rebuilt (by growing, `rehash` or `flush`).
  [[nodiscard]] ref_type ref() const noexcept { return ref_type(storage_.table()); }

 private:
  detail::slab_hash_storage<B, Key, none> storage_;
};

}  // namespace mangrove
