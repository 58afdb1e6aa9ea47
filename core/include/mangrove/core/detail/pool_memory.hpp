#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "mangrove/core/error.hpp"
#include "mangrove/core/mapped_region.hpp"
#include "mangrove/core/slab_size.hpp"

namespace mangrove::detail {

/// The memory of a pool: a range of addresses, mapped from its begin on as the pool grows.
///
/// To map some takes a device's host as long as ten launches, however little it is. So a pool that grows steadily has
/// some mapped ahead, at a time that costs nothing. It plans as if that was not there, or it would never reuse what has
/// been freed; then it finds it there.
template <backend B>
class pool_memory {
 public:
  /// Reserves addresses for `capacity` bytes, no memory yet. What memory holds at first means nothing.
  pool_memory(const resources<B>& res, std::size_t capacity) : region_(res, capacity, fresh_memory::anything) {}

  [[nodiscard]] std::byte* data() const noexcept { return region_.data(); }

  /// Bytes that there are addresses for.
  [[nodiscard]] std::size_t capacity() const noexcept { return region_.capacity(); }

  /// Bytes that are mapped.
  [[nodiscard]] std::size_t mapped() const noexcept { return region_.committed(); }

  /// Of these, those to plan with.
  [[nodiscard]] std::size_t planned() const noexcept { return region_.committed() - ahead_; }

  /// Sees to it that so many granules are planned with, by more than what is missing now; takes less where that is
  /// refused. @throws memory_error with everything as it was
  void secure(std::uint64_t granules) {
    if (granules > region_.capacity() / granule_bytes) {
      throw memory_error("a slab pool cannot grow beyond " + std::to_string(region_.capacity() >> 20) +
                         " MiB; split the graph or make the pool larger");
    }
    const std::size_t bytes = granules * granule_bytes;
    const std::size_t now = planned();
    if (bytes <= now) return;
    const std::size_t growth = std::max(now / growth_share, std::min(now / small_growth_share, small_growth));
    try {
      plan_with(std::max(bytes, now + growth));
    } catch (const memory_error&) {
      plan_with(bytes);
    }
    grown_ = planned() - now;
  }

  /// The same for exactly so many bytes, or all that there are addresses for. @throws memory_error with everything as
  /// it was
  void plan_with(std::size_t bytes) {
    const std::size_t wanted = std::min(bytes, region_.capacity());
    if (wanted <= planned()) return;
    region_.commit(wanted);
    ahead_ = std::min(ahead_, region_.committed() - wanted);
  }

  /// Maps as much ahead as the pool grew lately, if that is little beside the pool, and so may go on. What is refused
  /// is asked for again once it is needed.
  void map_ahead() {
    constexpr std::size_t little_share = 40;  // one in so many
    const std::size_t grown = std::exchange(grown_, 0);
    if (grown == 0 || grown > planned() / little_share || ahead_ >= grown) return;
    const std::size_t before = region_.committed();
    try {
      region_.commit(std::min(region_.capacity(), planned() + grown));
    } catch (const memory_error&) {
      return;
    }
    ahead_ += region_.committed() - before;
  }

  /// So many bytes are in use, so that they are planned with.
  void use(std::size_t bytes) noexcept { ahead_ = std::min(ahead_, region_.committed() - bytes); }

 private:
  /// The pool grows by a share of 1 / growth_share at least, so that memory is mapped seldom. A small one grows by a
  /// larger share, but by no more than so many bytes.
  static constexpr std::size_t growth_share = 64;
  static constexpr std::size_t small_growth_share = 16;
  static constexpr std::size_t small_growth = std::size_t{4} << 20;

  region<B> region_;
  std::size_t ahead_ = 0;  ///< bytes
  std::size_t grown_ = 0;  ///< bytes by which `secure` made planned memory grow, unless `map_ahead` has seen them
};

}  // namespace mangrove::detail
