#pragma once

#include <cstdint>

#include "mangrove/io/generate.hpp"

namespace mangrove::io::detail {

/// Throw `usage_error` when an option is out of its range.
void check(const rmat_options& options);
void check(const road_options& options);
void check(const mesh_options& options);

/// The radius of a random geometric graph as a fraction of 2^32; checks the options as well.
std::uint32_t checked_radius(const rgg_options& options);

}  // namespace mangrove::io::detail
