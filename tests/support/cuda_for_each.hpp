#pragma once

#include <cstddef>

#include "mangrove/core/resources.hpp"

/// @file
/// `core/for_each.cuh` for sources that g++ compiles, which takes a third of nvcc's time. They can call what a .cu file
/// of the same program instantiates; whatever is missing there does not link.

namespace mangrove {

template <int Width, class Body>
void for_each_tile(const cuda_resources& res, std::size_t count, const Body& body);

}  // namespace mangrove
