#pragma once

#include <cstdint>

#include "mangrove/core/backend.hpp"

namespace mangrove::detail {

/// Indices that new ids get: free ones while there are any, the last one first, then those never used.
struct index_supply {
  const std::uint32_t* free;  ///< in the backend's memory
  std::uint32_t free_count;
  std::uint32_t next;

  /// The index of the new id number k.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t operator[](std::uint32_t k) const {
    return k < free_count ? free[free_count - 1 - k] : next + (k - free_count);
  }
};

/// Where new ids are noted with the indices that they get. In the backend's memory.
template <class Vertex>
struct new_id_list {
  index_supply indices;
  Vertex* ids;                ///< by number
  std::uint32_t* indices_of;  ///< by number
  Vertex* id_by_index;        ///< the graph's

  /// Notes the new id number k. @return its index
  MANGROVE_HOST_DEVICE std::uint32_t put(std::uint32_t k, std::uint64_t id) const {
    const std::uint32_t index = indices[k];
    ids[k] = static_cast<Vertex>(id);
    indices_of[k] = index;
    id_by_index[index] = static_cast<Vertex>(id);
    return index;
  }
};

}  // namespace mangrove::detail
