#pragma once

#include <cstdint>

#include "indexed_updates.hpp"
#include "mangrove/core/buffer.hpp"

namespace mangrove::detail {

/// Most vertices of a graph: indices above stand for marks of hash table slots and for "no vertex".
inline constexpr std::uint32_t max_vertices = ~std::uint32_t{0} - 8;

/// A translated batch, and the arrays that it may need.
template <backend B>
struct translated_updates {
  buffer<B, std::uint32_t> sources;
  buffer<B, std::uint32_t> targets;
  indexed_updates updates;
  std::uint32_t index_count = 0;  ///< of the graph once the batch is applied
  bool loops = true;              ///< false: no insert names a self loop
};

}  // namespace mangrove::detail
