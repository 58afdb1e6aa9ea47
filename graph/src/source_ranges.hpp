#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "vertex_runs.hpp"

namespace mangrove::detail {

/// Sources from one to another, at least one.
struct source_range {
  std::uint32_t first;
  std::uint32_t last;

  [[nodiscard]] bool has(std::uint32_t source) const { return source - first <= last - first; }
};

/// All sources in ranges that are likely to have about as many of a batch's updates each; some may be empty.
struct source_ranges {
  static constexpr std::size_t most = 8;

  /// Whether so many threads can have a range each.
  [[nodiscard]] static constexpr bool suit(std::size_t threads) { return threads > 1 && threads <= most; }

  std::size_t count;
  std::array<std::uint32_t, most> last;  ///< by range

  /// @param ranges how many, at most `most`
  source_ranges(const edge_updates& updates, std::size_t ranges) : count(ranges) {
    std::array<std::uint32_t, most * samples_each> sample;
    const std::size_t samples = count * samples_each;
    const bool directed = updates.direction == edge_direction::directed;
    const indexed_updates& batch = updates.batch;
    for (std::size_t i = 0; i < samples; ++i) {
      sample[i] = (directed || i % 2 == 0 ? batch.sources : batch.targets)[batch.size * i / samples];
    }
    auto* from = sample.data();
    for (std::size_t k = 1; k < count; ++k) {
      auto* const nth = sample.data() + k * samples_each;
      std::nth_element(from, nth, sample.data() + samples);
      last[k - 1] = *nth;
      from = nth;
    }
    last[count - 1] = ~std::uint32_t{0};
  }

  /// @pre it has some source
  [[nodiscard]] source_range of(std::size_t k) const { return {k == 0 ? 0 : last[k - 1] + 1, last[k]}; }

 private:
  static constexpr std::size_t samples_each = 32;
};

}  // namespace mangrove::detail
