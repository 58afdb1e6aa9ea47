#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>

#include "vertex_runs.hpp"

namespace mangrove::detail {

/// Runs as the CPU's threads gather them from sorted keys: those that begin in a stretch of keys stand where these do,
/// by the kind of adjacency that they will find. So whoever applies them finds in its cache what gathering read there.
struct gathered_runs {
  static constexpr std::size_t stretch = 256;

  /// How many runs of each kind a stretch has.
  using sizes = std::array<std::uint16_t, run_kinds>;

  vertex_run* runs;
  sizes* of_stretch;
  std::size_t stretches;  ///< 0: the batch was not grouped so

  /// The runs of a kind in a stretch.
  [[nodiscard]] std::span<const vertex_run> of(std::size_t number, adjacency_kind kind) const {
    const sizes& own = of_stretch[number];
    const auto k = static_cast<std::uint32_t>(kind);
    return {runs + number * stretch + std::accumulate(own.begin(), own.begin() + k, 0U), own[k]};
  }

  static constexpr std::size_t stretches_for(std::size_t keys) { return (keys + stretch - 1) / stretch; }
};

}  // namespace mangrove::detail
