#pragma once

#include <cstddef>

/// @file
/// Reading a bucket's keys beside writers, fast. Compilers turn no loop over atomic loads into SIMD, so on x86 the
/// loads are written as instructions: with AVX, an aligned load of 16 bytes is atomic, and so each key is read without
/// tearing.

#if defined(__x86_64__) && defined(__AVX__)
#define MANGROVE_HAS_KEY_SNAPSHOT 1

namespace mangrove::detail {

/// A copy of `Slots` keys that others may be writing, each read by a relaxed load.
template <class Key, int Slots>
class key_snapshot {
 public:
  /// @param from aligned to 16 bytes, and readable up to the next multiple of 16 bytes after the last key
  explicit key_snapshot(const Key* from) {
    for (std::size_t i = 0; i < vectors; ++i) {
      asm volatile("vmovdqa %1, %0" : "=x"(words_[i]) : "m"(reinterpret_cast<const vector*>(from)[i]));
    }
  }

  [[nodiscard]] Key operator[](int slot) const { return reinterpret_cast<const aliased_key*>(words_)[slot]; }

 private:
  using vector = long long __attribute__((vector_size(16), may_alias));
  typedef Key __attribute__((may_alias)) aliased_key;
  static constexpr std::size_t vectors = (Slots * sizeof(Key) + sizeof(vector) - 1) / sizeof(vector);

  alignas(32) vector words_[vectors];
};

}  // namespace mangrove::detail
#endif
