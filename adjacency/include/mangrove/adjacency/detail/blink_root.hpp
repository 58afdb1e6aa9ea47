#pragma once

#include <cstdint>

#include "mangrove/adjacency/detail/blink_nodes.hpp"

namespace mangrove::detail {

/// Where new leaves come from: freed ones first, then fresh ones. The k-th request gets the k-th leaf.
struct leaf_supply {
  const node_index* freed;
  std::uint32_t freed_count;
  node_index end;  ///< leaves handed out so far

  [[nodiscard]] MANGROVE_HOST_DEVICE node_index take(std::uint32_t k) const {
    return k < freed_count ? freed[freed_count - 1 - k] : end + (k - freed_count);
  }
};

/// What tiles that change a tree share, in the backend's memory.
template <class Key>
struct blink_root {
  std::uint64_t top;           ///< the topmost inner node in the low half, its level in the high half
  std::uint32_t leaves_taken;  ///< may exceed what is granted; then some requests were refused
  std::uint32_t leaves_granted;
  std::uint32_t inner_taken;
  std::uint32_t inner_granted;  ///< enough for all leaves that are; the checker counts
  node_index inner_end;         ///< the first inner node to take
  leaf_supply leaves;

  MANGROVE_HOST_DEVICE static constexpr std::uint64_t top_of(std::uint32_t level, node_index node) {
    return std::uint64_t{level} << 32 | node;
  }
};

}  // namespace mangrove::detail
