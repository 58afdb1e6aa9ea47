#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "mangrove/core/atomic.hpp"
#include "mangrove/core/buffer.hpp"

namespace mangrove::detail::triangles {

/// What bodies add to. Trivially copyable; there are several counters so that the tiles seldom meet.
struct tally_handle {
  static constexpr std::size_t slots = 1024;
  std::uint64_t* values;

  MANGROVE_HOST_DEVICE void add(std::size_t task, std::uint64_t amount) const {
    if (amount != 0) fetch_add(values + task % slots, amount);
  }
};

/// A number that many tiles add to. All memory is allocated when it is made: nothing that follows can be refused.
template <backend B>
class tally {
  static constexpr std::size_t slots = tally_handle::slots;

 public:
  explicit tally(const resources<B>& res) : values_(res, slots), host_(slots) {
    fill_bytes(res, values_.data(), 0, slots);
  }

  [[nodiscard]] tally_handle ref() noexcept { return tally_handle{values_.data()}; }

  /// The sum of all that was added. Waits for all work.
  std::uint64_t total(const resources<B>& res) {
    copy(res, host_.data(), values_.data(), slots);
    res.synchronize();
    return std::accumulate(host_.begin(), host_.end(), std::uint64_t{0});
  }

 private:
  buffer<B, std::uint64_t> values_;
  std::vector<std::uint64_t> host_;
};

}  // namespace mangrove::detail::triangles
