#pragma once

#include <cstddef>

#include "mangrove/core/resources.hpp"
#include "mangrove/core/run_in_parts.hpp"

namespace mangrove::detail {

/// Runs `f(chunk, first, last)` over equal shares of [0, count), one a thread; a single one where it is called.
template <class F>
void each_chunk(const cpu_resources& res, std::size_t chunks, std::size_t count, const F& f) {
  if (chunks == 1) return f(std::size_t{0}, std::size_t{0}, count);
  run_each(res, chunks, [&](std::size_t k) { f(k, count * k / chunks, count * (k + 1) / chunks); });
}

}  // namespace mangrove::detail
