#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "mangrove/adjacency/detail/ordered_types.hpp"
#include "mangrove/adjacency/detail/side_slot.hpp"
#include "mangrove/adjacency/detail/sorted_array_view.hpp"
#include "mangrove/core/growable_array.hpp"
#include "mangrove/core/mirrored.hpp"

namespace mangrove::detail {

/// What a batch comes to, counted by kernels.
struct array_tally {
  std::uint32_t fresh;    ///< keys that are not there yet
  std::uint32_t first;    ///< place of the first of them among all keys
  std::uint32_t kept;     ///< keys that an erase leaves
  std::uint32_t refused;  ///< not 0 when there was a NaN, or an array was not sorted
  std::uint32_t repeats;  ///< not 0 when neighbours were equal
};

template <backend B, class Key>
class sorted_batch;

/// What `sorted_array` is made of: keys are bits ordered as unsigned integers, values bits of a width known at run
/// time. Arrays are in the backend's memory. Instantiated in the libraries for keys of 4 and 8 bytes.
///
/// There are two places for keys and values. Batches merge what is in the one into the other.
template <backend B, class Key>
class sorted_array_storage {
 public:
  using view_type = sorted_array_view<Key>;
  /// Places are numbered by 32 bits, the one after the last key too.
  static constexpr std::size_t most_keys = (std::size_t{1} << 32) - slab_bytes;

  /// @param value_bytes 0, 4 or 8
  sorted_array_storage(const resources<B>& res, key_order order, std::uint32_t value_bytes);

  void bulk_build(const resources<B>& res, const void* keys, const void* values, std::size_t count,
                  key_sequence sequence);
  std::size_t insert(const resources<B>& res, const void* keys, const void* values, std::size_t count,
                     on_existing existing, std::uint8_t* inserted);
  std::size_t erase(const resources<B>& res, const void* keys, std::size_t count, std::uint8_t* erased);

  void find(const resources<B>& res, const void* keys, std::size_t count, void* values, std::uint8_t* found) const;
  void count(const resources<B>& res, const key_ranges& ranges, std::uint64_t* counts) const;
  std::uint64_t range(const resources<B>& res, const key_ranges& ranges, std::uint64_t* offsets, void* keys,
                      void* values, std::uint64_t capacity) const;
  void range_up_to(const resources<B>& res, const key_ranges& ranges, std::uint32_t limit, std::uint32_t* counts,
                   void* keys, void* values) const;
  void neighbor(const resources<B>& res, const void* keys, std::size_t count, neighbor_side side, void* neighbors,
                void* values, std::uint8_t* found) const;
  std::size_t retrieve_all(const resources<B>& res, void* keys, void* values) const;

  void clear(const resources<B>& res);
  void reserve(const resources<B>& res, std::size_t keys);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t bytes() const noexcept;
  [[nodiscard]] std::string check(const resources<B>& res) const;

  /// What bodies work on until the next change.
  [[nodiscard]] view_type view() const;

 private:
  struct insert_plan;

  /// Keys in order, followed by the greatest key up to the end of a block, and their values.
  struct entries {
    growable_array<B, Key> keys;
    growable_array<B, std::byte> values;
    entries(const resources<B>& res, std::uint32_t value_bytes)
        : keys(res, most_keys, view_type::slots), values(res, most_keys * value_bytes) {}
  };

  [[nodiscard]] entries& back() noexcept { return entries_[1 - front_]; }
  void secure(entries& in, std::size_t keys);
  void become(const resources<B>& res, std::size_t size);
  template <class Source>
  void build_from(const resources<B>& res, const Source& source, std::size_t count);
  void locate_new(const resources<B>& res, const sorted_batch<B, Key>& batch, on_existing existing,
                  std::uint8_t* inserted, insert_plan& plan);
  void merge(const resources<B>& res, insert_plan& plan, const void* values);

  key_codec<Key> codec_;
  std::uint32_t value_bytes_;
  entries entries_[2];
  int front_ = 0;  ///< which of the two is in use
  growable_array<B, Key> separators_;
  std::uint64_t size_ = 0;
  mirrored<B, array_tally> tally_;
};

}  // namespace mangrove::detail
