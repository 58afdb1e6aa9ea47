#pragma once

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "mangrove/core/atomic.hpp"

namespace mangrove {

namespace detail {
struct lone_thread {};
}  // namespace detail

/// A tile of the CUDA backend: N neighbouring lanes of a warp, N in {1, 2, 4, 8, 16, 32}.
///
/// The members are those of `cpu_tile` (core/tile.hpp). All lanes must call them together, with the same arguments
/// unless a member says that values are per lane.
template <int N>
class cuda_tile {
  using group = std::conditional_t<N == 1, detail::lone_thread, cooperative_groups::thread_block_tile<N>>;

 public:
  /// The tile of the block that the calling thread belongs to. All threads of a tile must call it together.
  static __device__ cuda_tile this_tile() {
    if constexpr (N == 1) {
      return cuda_tile(detail::lone_thread{});
    } else {
      return cuda_tile(cooperative_groups::tiled_partition<N>(cooperative_groups::this_thread_block()));
    }
  }

  __device__ explicit cuda_tile(const group& lanes) : lanes_(lanes) {}

  static constexpr int lanes = N;
  static constexpr bool simd = false;

  static constexpr __device__ int size() { return N; }
  [[nodiscard]] __device__ int lane() const {
    if constexpr (N == 1) {
      return 0;
    } else {
      return static_cast<int>(lanes_.thread_rank());
    }
  }

  [[nodiscard]] __device__ std::uint32_t ballot(bool value) const {
    if constexpr (N == 1) {
      return value ? 1 : 0;
    } else {
      return lanes_.ballot(value);
    }
  }

  template <class T>
  [[nodiscard]] __device__ std::uint32_t equals_before(T value, bool counts) const {
    static_assert(N == 32);
    const unsigned equal = __match_any_sync(~0U, value) & __ballot_sync(~0U, counts);
    return static_cast<std::uint32_t>(__popc(equal & ((1U << lane()) - 1)));
  }

  template <class T>
  [[nodiscard]] __device__ bool is_first_of_equals(T value, bool counts) const {
    return equals_before(value, counts) == 0 && counts;
  }

  template <class T>
  [[nodiscard]] __device__ T sum_before(T value) const {
    if constexpr (N == 1) {
      return T{};
    } else {
      return cooperative_groups::exclusive_scan(lanes_, value);
    }
  }

  template <class T>
  [[nodiscard]] __device__ T from_before(T value) const {
    if constexpr (N == 1) {
      return value;
    } else {
      return lanes_.shfl(value, (lane() + N - 1) % N);
    }
  }

  template <class T>
  [[nodiscard]] __device__ T from_after(T value) const {
    if constexpr (N == 1) {
      return value;
    } else {
      return lanes_.shfl(value, (lane() + 1) % N);
    }
  }

  template <int Slots, class F>
  [[nodiscard]] __device__ std::uint32_t match(F f) const {
    static_assert(Slots <= 32);
    std::uint32_t mask = 0;
#pragma unroll
    for (int base = 0; base < Slots; base += N) {
      const int slot = base + lane();
      const bool hit = slot < Slots && f(slot);
      if constexpr (N == 1) {
        mask |= static_cast<std::uint32_t>(hit) << base;
      } else {
        mask |= lanes_.ballot(hit) << base;
      }
    }
    return mask;
  }

  template <class F>
  [[nodiscard]] __device__ std::uint32_t match_first(std::uint32_t count, F f) const {
    std::uint32_t mask = 0;
    for (std::uint32_t base = 0; base < count; base += N) {
      const std::uint32_t i = base + lane();
      const bool hit = i < count && f(i);
      if constexpr (N == 1) {
        mask |= static_cast<std::uint32_t>(hit) << base;
      } else {
        mask |= lanes_.ballot(hit) << base;
      }
    }
    return mask;
  }

  template <class F>
  __device__ void strided(std::size_t count, F f) const {
    for (std::size_t i = lane(); i < count; i += N) f(i);
  }

  template <class F>
  __device__ void strided_briefly(std::size_t count, F f) const {
#pragma unroll 1
    for (std::size_t i = lane(); i < count; i += N) f(i);
  }

  template <class F>
  __device__ auto elect(F f) const {
    using result = decltype(f());
    if constexpr (std::is_void_v<result>) {
      if (lane() == 0) f();
    } else {
      result value{};
      if (lane() == 0) value = f();
      return broadcast(value, 0);
    }
  }

  template <class T>
  [[nodiscard]] __device__ T broadcast(T value, int from) const {
    if constexpr (N == 1) {
      return value;
    } else {
      return lanes_.shfl(value, from);
    }
  }

  template <class T>
  [[nodiscard]] __device__ T sum(T value) const {
    if constexpr (N == 1) {
      return value;
    } else {
      return cooperative_groups::reduce(lanes_, value, cooperative_groups::plus<T>());
    }
  }

  template <class To, class T>
  __device__ void add_sum(To* to, T value) const {
    const T all = sum(value);
    if (lane() == 0 && all != 0) fetch_add(to, static_cast<To>(all));
  }

  [[nodiscard]] __device__ cuda_tile<1> solo() const {
    return cuda_tile<1>(detail::lone_thread{});
  }

  [[nodiscard]] __device__ cuda_tile<32> warp() const { return cuda_tile<32>::this_tile(); }

  __device__ void sync() const {
    if constexpr (N > 1) lanes_.sync();
  }

 private:
  group lanes_;
};

}  // namespace mangrove
