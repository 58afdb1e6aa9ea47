#pragma once

#include <cstdint>
#include <cstring>

#include "mangrove/core/atomic.hpp"
#include "mangrove/core/unrolled.hpp"

/// @file
/// Moving neighbouring values between memory and a lane's registers: on CUDA with as few instructions as their size
/// allows, up to 16 bytes each.

namespace mangrove {

/// Reads a value of a stream: on CUDA it takes no room in the L1 cache, which others make better use of.
template <class T>
[[nodiscard]] MANGROVE_HOST_DEVICE T load_once(const T* from) {
#if defined(__CUDA_ARCH__)
  return __ldcg(from);
#else
  return *from;
#endif
}

/// How a body reads memory: `plain` while nobody writes it, `relaxed` beside writers, each value without tearing;
/// `maybe_old` the same where it does not matter that writes are missed: on CUDA from the L1 cache, which atomics of
/// others pass by.
enum class access { plain, relaxed, maybe_old };

namespace detail {

/// Bytes that one instruction moves of a row of so many.
constexpr int pack_bytes(int bytes) {
  return bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : 4;
}

#if defined(__CUDACC__)
/// 4, 8 or 16 bytes as one instruction moves them.
template <int Bytes>
struct alignas(Bytes) word_pack {
  std::uint32_t words[Bytes / 4];
};

/// Relaxed loads of all words of a pack; the order between them is not defined. Words of `Word` bytes do not tear.
template <int Word, int Bytes>
__device__ word_pack<Bytes> load_pack_relaxed(const word_pack<Bytes>* from) {
  word_pack<Bytes> read;
  if constexpr (Word == 8 && Bytes == 16) {
    std::uint64_t pair[2];
    asm volatile("ld.relaxed.gpu.v2.u64 {%0, %1}, [%2];" : "=l"(pair[0]), "=l"(pair[1]) : "l"(from) : "memory");
    std::memcpy(&read, pair, sizeof(read));
  } else if constexpr (Word == 8) {
    std::uint64_t one;
    asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(one) : "l"(from) : "memory");
    std::memcpy(&read, &one, sizeof(read));
  } else if constexpr (Bytes == 16) {
    asm volatile("ld.relaxed.gpu.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(read.words[0]), "=r"(read.words[1]), "=r"(read.words[2]), "=r"(read.words[3])
                 : "l"(from)
                 : "memory");
  } else if constexpr (Bytes == 8) {
    asm volatile("ld.relaxed.gpu.v2.u32 {%0, %1}, [%2];"
                 : "=r"(read.words[0]), "=r"(read.words[1])
                 : "l"(from)
                 : "memory");
  } else {
    asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(read.words[0]) : "l"(from) : "memory");
  }
  return read;
}

/// Relaxed stores of all words of a pack; the order between them is not defined. Words of `Word` bytes do not tear.
template <int Word, int Bytes>
__device__ void store_pack_relaxed(word_pack<Bytes>* to, const word_pack<Bytes>& from) {
  if constexpr (Word == 8 && Bytes == 16) {
    std::uint64_t pair[2];
    std::memcpy(pair, &from, sizeof(pair));
    asm volatile("st.relaxed.gpu.v2.u64 [%0], {%1, %2};" : : "l"(to), "l"(pair[0]), "l"(pair[1]) : "memory");
  } else if constexpr (Word == 8) {
    std::uint64_t one;
    std::memcpy(&one, &from, sizeof(one));
    asm volatile("st.relaxed.gpu.u64 [%0], %1;" : : "l"(to), "l"(one) : "memory");
  } else if constexpr (Bytes == 16) {
    asm volatile("st.relaxed.gpu.v4.u32 [%0], {%1, %2, %3, %4};"
                 :
                 : "l"(to), "r"(from.words[0]), "r"(from.words[1]), "r"(from.words[2]), "r"(from.words[3])
                 : "memory");
  } else if constexpr (Bytes == 8) {
    asm volatile("st.relaxed.gpu.v2.u32 [%0], {%1, %2};"
                 :
                 : "l"(to), "r"(from.words[0]), "r"(from.words[1])
                 : "memory");
  } else {
    asm volatile("st.relaxed.gpu.u32 [%0], %1;" : : "l"(to), "r"(from.words[0]) : "memory");
  }
}
#endif

}  // namespace detail

/// Reads N values of 4 or 8 bytes.
/// @param from aligned to 16 bytes, or to the largest power of two that divides the row's size
template <access Access, int N, class T>
MANGROVE_HOST_DEVICE void load_row(const T* from, T (&to)[N]) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
#if defined(__CUDA_ARCH__)
  constexpr int bytes = detail::pack_bytes(N * sizeof(T));
  using pack = detail::word_pack<bytes>;
  constexpr int words = bytes / 4;
  std::uint32_t read[N * sizeof(T) / 4];
  unrolled<sizeof(read) / sizeof(pack)>([&](int i) {
    const pack* const at = reinterpret_cast<const pack*>(from) + i;
    pack one;
    if constexpr (Access == access::relaxed) {
      one = detail::load_pack_relaxed<sizeof(T)>(at);
    } else {
      one = *at;
    }
    unrolled<words>([&](int k) { read[i * words + k] = one.words[k]; });
  });
  std::memcpy(to, read, sizeof(read));
#else
  for (int i = 0; i < N; ++i) to[i] = Access == access::plain ? from[i] : load_relaxed(from + i);
#endif
}

/// Reads an object of 8 or 16 bytes in one piece. Its members' alignment would have them read one by one, each time
/// from as many cache lines. @param from aligned to the object's size
template <class T>
[[nodiscard]] MANGROVE_HOST_DEVICE T load_whole(const T* from) {
  static_assert(sizeof(T) == 8 || sizeof(T) == 16);
#if defined(__CUDA_ARCH__)
  const auto whole = *reinterpret_cast<const detail::word_pack<sizeof(T)>*>(from);
  T made;
  std::memcpy(&made, &whole, sizeof(T));
  return made;
#else
  return *from;
#endif
}

/// As `load_whole` for 16 bytes that are not read again soon: on CUDA the L2 cache gives their line away first.
template <class T>
[[nodiscard]] MANGROVE_HOST_DEVICE T load_passing(const T* from) {
  static_assert(sizeof(T) == 16);
#if defined(__CUDA_ARCH__)
  std::uint32_t words[4];
  asm volatile(
      "{ .reg .b64 first;\n"
      "createpolicy.fractional.L2::evict_first.b64 first, 1.0;\n"
      "ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], first; }"
      : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
      : "l"(__cvta_generic_to_global(from))
      : "memory");
  T made;
  std::memcpy(&made, words, sizeof(T));
  return made;
#else
  return *from;
#endif
}

/// Writes an object of 8 or 16 bytes in one piece. @param to aligned to the object's size
template <class T>
MANGROVE_HOST_DEVICE void store_whole(T* to, const T& from) {
  static_assert(sizeof(T) == 8 || sizeof(T) == 16);
#if defined(__CUDA_ARCH__)
  detail::word_pack<sizeof(T)> whole;
  std::memcpy(&whole, &from, sizeof(T));
  *reinterpret_cast<detail::word_pack<sizeof(T)>*>(to) = whole;
#else
  *to = from;
#endif
}

/// Writes N values, `plain` or `relaxed`. @param to aligned as `load_row` wants it
template <access Access = access::plain, int N, class T>
MANGROVE_HOST_DEVICE void store_row(T* to, const T (&from)[N]) {
#if defined(__CUDA_ARCH__)
  using pack = detail::word_pack<detail::pack_bytes(N * sizeof(T))>;
  constexpr int words = sizeof(pack) / 4;
  std::uint32_t written[N * sizeof(T) / 4];
  std::memcpy(written, from, sizeof(written));
  unrolled<sizeof(written) / sizeof(pack)>([&](int i) {
    pack one;
    unrolled<words>([&](int k) { one.words[k] = written[i * words + k]; });
    pack* const at = reinterpret_cast<pack*>(to) + i;
    if constexpr (Access == access::relaxed) {
      detail::store_pack_relaxed<sizeof(T)>(at, one);
    } else {
      *at = one;
    }
  });
#else
  for (int i = 0; i < N; ++i) {
    if constexpr (Access == access::plain) {
      to[i] = from[i];
    } else {
      store_relaxed(to + i, from[i]);
    }
  }
#endif
}

}  // namespace mangrove
