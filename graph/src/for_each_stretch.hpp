#pragma once

#include <cstddef>

#include "mangrove/core/resources.hpp"

/// @file
/// For the CPU alone; instantiated where core/for_each.hpp is included.

namespace mangrove::detail {

/// Calls a body for stretches of updates, or of what comes of them, by one lane: on all threads where it is worth while
/// to share them. @param updates in all stretches
template <class Body>
void for_each_stretch(const cpu_resources& res, std::size_t updates, std::size_t stretches, const Body& body) {
  constexpr std::size_t shared_from = 1024;
  if (updates < shared_from) {
    for_each_tile<1>(res, stretches, body);
  } else {
    for_each_task<1>(res, stretches, body);
  }
}

}  // namespace mangrove::detail
