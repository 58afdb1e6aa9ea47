#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "mangrove/core/atomic.hpp"

#if defined(__SANITIZE_THREAD__)
#define MANGROVE_BS_TREE_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MANGROVE_BS_TREE_TSAN 1
#endif
#endif
#if !defined(MANGROVE_BS_TREE_TSAN)
#define MANGROVE_BS_TREE_TSAN 0
#endif

/// @file
/// Optimistic lock coupling. A node's version is odd while a thread changes it, and is another one afterwards. Readers
/// take no lock: they read the version, then the node, then the version again, and begin anew when it changed.

namespace mangrove::detail {

inline constexpr bool bs_tsan = MANGROVE_BS_TREE_TSAN != 0;

/// Keeps what was read before from being read after. ThreadSanitizer knows no fences; its build reads atomically
/// anyway.
inline void bs_read_fence() {
#if MANGROVE_BS_TREE_TSAN
  asm volatile("" ::: "memory");
#else
  std::atomic_thread_fence(std::memory_order_acquire);
#endif
}

/// Keeps what is written after from being written before.
inline void bs_write_fence() {
#if MANGROVE_BS_TREE_TSAN
  asm volatile("" ::: "memory");
#else
  std::atomic_thread_fence(std::memory_order_release);
#endif
}

/// Element access in nodes: by relaxed atomics where other threads may be reading or writing.
template <bool Shared, class T>
T bs_get(const T* from) {
  if constexpr (Shared) {
    return __atomic_load_n(from, __ATOMIC_RELAXED);
  } else {
    return *from;
  }
}

template <bool Shared, class T>
void bs_put(T* to, T value) {
  if constexpr (Shared) {
    __atomic_store_n(to, value, __ATOMIC_RELAXED);
  } else {
    *to = value;
  }
}

/// The operations on versions; for trees of one thread they do nothing and always succeed.
template <bool Shared>
struct bs_version {
  static constexpr bool locked(std::uint32_t version) { return Shared && (version & 1) != 0; }

  static std::uint32_t read(const std::uint32_t* version) {
    if constexpr (Shared) return __atomic_load_n(version, __ATOMIC_ACQUIRE);
    return 0;
  }

  /// Whether the node has not changed since `seen` was read.
  static bool valid(const std::uint32_t* version, std::uint32_t seen) {
    if constexpr (!Shared) return true;
    bs_read_fence();
    return __atomic_load_n(version, __ATOMIC_RELAXED) == seen;
  }

  static bool try_lock(std::uint32_t* version, std::uint32_t seen) {
    if constexpr (!Shared) return true;
    const bool taken = __atomic_compare_exchange_n(version, &seen, seen | 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
    if (taken) bs_write_fence();
    return taken;
  }

  static void unlock(std::uint32_t* version) {
    if constexpr (Shared) __atomic_store_n(version, bs_get<true>(version) + 1, __ATOMIC_RELEASE);
  }
};

/// A lock on a node that ends with the scope.
template <bool Shared>
class bs_held {
 public:
  bs_held() = default;
  bs_held(const bs_held&) = delete;
  bs_held& operator=(const bs_held&) = delete;
  ~bs_held() { release(); }

  bool take(std::uint32_t* version, std::uint32_t seen) {
    if (!bs_version<Shared>::try_lock(version, seen)) return false;
    version_ = version;
    return true;
  }
  void release() {
    if (version_ != nullptr) bs_version<Shared>::unlock(version_);
    version_ = nullptr;
  }

 private:
  std::uint32_t* version_ = nullptr;
};

}  // namespace mangrove::detail
