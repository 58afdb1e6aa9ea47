#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "mangrove/adjacency/detail/concurrent_table.hpp"
#include "mangrove/adjacency/slab_hash_options.hpp"
#include "mangrove/core/buffer.hpp"

namespace mangrove::detail {

/// Lanes that look for a key, or for a free slot: on CUDA one, which reads no more of the bucket than it must, so that
/// a warp has 32 searches under way; on the CPU lanes are SIMD.
template <backend B>
inline constexpr int search_lanes = std::is_same_v<B, cpu> ? 8 : 1;

/// What `slab_hash_map` and `slab_hash_set` share: an owned table whose values are plain bits, and operations over
/// arrays in the backend's memory. Instantiated in the libraries for keys of 4 and 8 bytes and `Bits` none, 4 and 8
/// bytes wide.
template <backend B, class Key, class Bits>
class slab_hash_storage {
 public:
  using table_type = concurrent_table<Key, Bits>;

  slab_hash_storage(const resources<B>& res, std::size_t expected_size, const slab_hash_options& options);

  std::size_t insert(const resources<B>& res, const Key* keys, const void* values, std::size_t count,
                     on_existing existing, std::uint8_t* inserted);
  void insert_absent(const resources<B>& res, const Key* keys, const void* values, std::size_t count);
  std::size_t erase(const resources<B>& res, const Key* keys, std::size_t count, std::uint8_t* erased);

  void find(const resources<B>& res, const Key* keys, std::size_t count, void* values, std::uint8_t* found) const;
  void contains(const resources<B>& res, const Key* keys, std::size_t count, std::uint8_t* found) const;
  [[nodiscard]] std::size_t count(const resources<B>& res, const Key* keys, std::size_t count) const;
  std::size_t retrieve_all(const resources<B>& res, Key* keys, void* values) const;

  void reserve(const resources<B>& res, std::size_t size);
  void rehash(const resources<B>& res, std::size_t buckets);
  void flush(const resources<B>& res);
  void clear(const resources<B>& res);

  [[nodiscard]] std::size_t size(const resources<B>& res) const { return current(res).keys; }
  [[nodiscard]] std::size_t tombstones(const resources<B>& res) const { return current(res).tombstones; }
  [[nodiscard]] double load_factor(const resources<B>& res) const;
  [[nodiscard]] std::size_t buckets() const noexcept { return buckets_; }
  [[nodiscard]] std::size_t slots() const noexcept { return buckets_ * table_type::slots; }
  [[nodiscard]] std::size_t bytes() const noexcept { return slabs_.size() + counters_.size() * sizeof(std::uint64_t); }

  /// What bodies work on; valid until the next rebuild.
  [[nodiscard]] table_type table() const noexcept {
    return table_type(const_cast<std::byte*>(slabs_.data()), static_cast<std::uint32_t>(buckets_));
  }

 private:
  struct tally {
    std::uint64_t keys = 0;
    std::uint64_t tombstones = 0;
  };
  using slab_buffer = buffer<B, std::byte>;

  [[nodiscard]] static std::size_t buckets_for(std::size_t size, double load);
  [[nodiscard]] std::size_t limit() const;
  [[nodiscard]] bool fits(std::size_t more) const { return tally_.keys + tally_.tombstones + more <= limit(); }
  [[nodiscard]] static slab_buffer make_slabs(const resources<B>& res, std::size_t buckets);
  void rebuild(const resources<B>& res, std::size_t buckets);
  void make_room(const resources<B>& res, const Key* keys, std::size_t count);
  [[nodiscard]] std::size_t count_new(const resources<B>& res, const Key* keys, std::size_t count) const;

  [[nodiscard]] tally current(const resources<B>& res) const;
  void refresh(const resources<B>& res);
  [[nodiscard]] tally count_slots(const resources<B>& res, buffer<B, std::uint64_t>& counters) const;
  [[nodiscard]] static tally sum_outcomes(const resources<B>& res, const std::uint8_t* outcomes, std::size_t count,
                                          buffer<B, std::uint64_t>& counters);

  slab_hash_options options_;
  std::size_t buckets_ = 0;
  slab_buffer slabs_;                  ///< buckets, then the slab for keys that mark slots
  buffer<B, std::uint64_t> counters_;  ///< two counters for operations that may not ask for memory
  tally tally_;                        ///< as of the owner's last operation; tiles may have changed the table since
};

}  // namespace mangrove::detail
