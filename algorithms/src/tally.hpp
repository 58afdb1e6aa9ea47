#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/atomic.hpp"
#include "mangrove/core/buffer.hpp"
#include "mangrove/core/transfer.hpp"

namespace mangrove::detail::triangles {

/// What bodies add to. Trivially copyable; there are several counters so that the tiles seldom meet.
struct tally_handle {
  static constexpr std::size_t slots = 1024;
  std::uint64_t* values;

  MANGROVE_HOST_DEVICE void add(std::size_t task, std::uint64_t amount) const {
    if (amount != 0) fetch_add(values + task % slots, amount);
  }
};

/// Body, called once: adds the counters up.
struct add_up {
  static constexpr int width = 32;

  tally_handle counters;
  std::uint64_t* total;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t) const {
    std::uint64_t own = 0;
    tile.strided(tally_handle::slots, [&](std::size_t k) { own += counters.values[k]; });
    const std::uint64_t all = tile.sum(own);
    if (tile.lane() == 0) *total = all;
  }
};

/// A number that many tiles add to. All memory is allocated when it is made: nothing that follows can be refused.
/// Included after the backend's `for_each_tile`.
template <backend B>
class tally {
  static constexpr std::size_t slots = tally_handle::slots;

 public:
  explicit tally(const resources<B>& res) : values_(res, slots + 1) { fill_bytes(res, values_.data(), 0, slots); }

  [[nodiscard]] tally_handle ref() noexcept { return tally_handle{values_.data()}; }

  /// The sum of all that was added. Waits for all work.
  std::uint64_t total(const resources<B>& res) {
    std::uint64_t* const total = values_.data() + slots;
    for_each_tile<add_up::width>(res, 1, add_up{ref(), total});
    return read_back(res, total);
  }

 private:
  buffer<B, std::uint64_t> values_;  ///< counters, and their sum
};

}  // namespace mangrove::detail::triangles
