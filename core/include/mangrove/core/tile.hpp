#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/atomic.hpp"
#include "mangrove/core/backend.hpp"

/// @file
/// Tiles: N lanes that work on one operation together. An algorithm body is a template over a tile and uses nothing
/// but the members below, so that the same body runs on both backends. `cuda_tile` in `core/tile.cuh` is the other one.

namespace mangrove {

/// What the lanes before one have, and all, of a value that each has.
template <class T>
struct lane_sums {
  T before;
  T all;
};

/// A tile of the CPU backend: one thread that does the work of all N lanes in loops the compiler turns into SIMD.
///
/// Its values are uniform: where a CUDA lane holds its own value, there is one lane here.
template <int N>
class cpu_tile {
 public:
  /// Lanes that hold values of their own.
  static constexpr int lanes = 1;

  /// Whether the lanes' work is a loop over memory rather than threads that hold values in registers.
  static constexpr bool simd = true;

  /// Lanes that take part: one thread does all of their work.
  static constexpr int size() noexcept { return N; }

  /// This thread's lane; bodies write results from the lane for which this is 0.
  [[nodiscard]] static constexpr int lane() noexcept { return 0; }

  /// Bit i of the result is `f(i)`, for i in [0, Slots), Slots at most 32. Same result in every lane.
  template <int Slots, class F>
  [[nodiscard]] std::uint32_t match(F f) const {
    static_assert(Slots <= 32);
    std::uint32_t mask = 0;
    for (int slot = 0; slot < Slots; ++slot) mask |= static_cast<std::uint32_t>(f(slot)) << slot;
    return mask;
  }

  /// Bit i of the result is `i < count && f(i)`, count at most 32. `f` may also be called for i from count up to the
  /// next multiple of 8. Same result in every lane.
  template <class F>
  [[nodiscard]] std::uint32_t match_first(std::uint32_t count, F f) const {
    std::uint32_t mask = 0;
    for (std::uint32_t base = 0; base < count; base += 8) {
      mask |= match<8>([&](int i) { return f(base + static_cast<std::uint32_t>(i)); }) << base;
    }
    return count == 32 ? mask : mask & ((std::uint32_t{1} << count) - 1);
  }

  /// Bit k of the result is the value of lane k. Same result in every lane.
  [[nodiscard]] std::uint32_t ballot(bool value) const { return value ? 1 : 0; }

  /// How many lanes before this one count and have the same value. Of tiles of 32 lanes, and here.
  template <class T>
  [[nodiscard]] std::uint32_t equals_before(T, bool) const {
    return 0;
  }

  /// Whether this lane counts and no lane before it counts and has the same value. Of tiles of 32 lanes, and here.
  template <class T>
  [[nodiscard]] bool is_first_of_equals(T, bool counts) const {
    return counts;
  }

  /// The sum of the values of the lanes before this one. Of tiles of up to 32 lanes.
  template <class T>
  [[nodiscard]] T sum_before(T) const {
    return T{};
  }

  /// The value of the lane before this one; in the first lane, the last one's.
  template <class T>
  [[nodiscard]] T from_before(T value) const {
    return value;
  }

  /// The value of the lane after this one; in the last lane, the first one's.
  template <class T>
  [[nodiscard]] T from_after(T value) const {
    return value;
  }

  /// Calls `f(i)` once for every i in [0, count), the lanes sharing the work.
  template <class F>
  void strided(std::size_t count, F f) const {
    for (std::size_t i = 0; i < count; ++i) f(i);
  }

  /// As `strided`, for loops of few turns in large bodies: not unrolled, so that more fits an instruction cache.
  template <class F>
  void strided_briefly(std::size_t count, F f) const {
    strided(count, f);
  }

  /// Calls `f` in one lane and gives its result to all.
  template <class F>
  auto elect(F f) const {
    return f();
  }

  /// The value that `lane` holds, in every lane. Of tiles of up to 32 lanes, each may ask for another one.
  template <class T>
  [[nodiscard]] T broadcast(T value, int lane) const {
    static_cast<void>(lane);
    return value;
  }

  /// The sum of all lanes' values, in every lane.
  template <class T>
  [[nodiscard]] T sum(T value) const {
    return value;
  }

  /// Adds the sum of all lanes' values to a word that others may add to at the same time.
  template <class To, class T>
  void add_sum(To* to, T value) const {
    if (value != 0) fetch_add(to, static_cast<To>(value));
  }

  /// Whether some lane's value is true. Orders the lanes' memory accesses as `sync` does. For tiles with scratch that
  /// are whole blocks on CUDA.
  [[nodiscard]] bool any(bool value) const { return value; }

  /// The sum of the values of the lanes before this one, and of all. For tiles with scratch that are whole blocks on
  /// CUDA.
  template <class T>
  [[nodiscard]] lane_sums<T> scan(T value) const {
    return {T{}, value};
  }

  /// The sum of the values of the lanes before this one. For tiles with scratch that are whole blocks on CUDA.
  template <class T>
  [[nodiscard]] T prefix_sum(T) const {
    return T{};
  }

  /// Calls `f(part, i)` for every i in [0, count), parts of M lanes sharing the work. For tiles with scratch that are
  /// whole blocks on CUDA.
  template <int M, class F>
  void for_each_part(std::size_t count, F f) const {
    for (std::size_t i = 0; i < count; ++i) f(cpu_tile<M>(), i);
  }

  /// How many parts of M lanes there are.
  template <int M>
  static constexpr std::uint32_t part_count = 1;

  /// The same for work that differs much: a part begins with `first` more than its number in the tile, and when it is
  /// done with one i gets the next from `take()`. Calls `f(part, own, i)`, `own` being the part's number.
  template <int M, class Take, class F>
  void for_each_part_taken(std::uint32_t first, std::uint32_t count, Take take, F f) const {
    for (std::uint32_t i = first; i < count; i = take()) f(cpu_tile<M>(), 0U, i);
  }

  /// A tile of the calling lane alone, for work that lanes do apart.
  [[nodiscard]] cpu_tile<1> solo() const noexcept { return {}; }

  /// The warp that this tile is a part of, whose tiles all call it together. Of tiles of up to 32 lanes.
  [[nodiscard]] cpu_tile<32> warp() const noexcept { return {}; }

  /// Orders the lanes' memory accesses before and after it.
  void sync() const noexcept {}
};

}  // namespace mangrove
