#include "generate_checks.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "mangrove/core/error.hpp"

namespace mangrove::io::detail {

namespace {

constexpr int largest_scale = 31;

void check_scale(int scale) {
  if (scale < 1 || scale > largest_scale) {
    throw usage_error("the scale must be 1 to 31, for 2 to 2^31 vertices, not " + std::to_string(scale));
  }
}

}  // namespace

void check(const rmat_options& options) {
  check_scale(options.scale);
  if (options.edge_factor > std::uint64_t{1} << (40 - options.scale)) {
    throw usage_error("an edge factor of " + std::to_string(options.edge_factor) + " means more than 2^40 edges");
  }
  const double last = 1 - options.a - options.b - options.c;
  if (!(options.a >= 0 && options.b >= 0 && options.c >= 0 && last >= -1e-9)) {
    throw usage_error("R-MAT's probabilities a, b and c must not be negative, and their sum at most 1");
  }
}

void check(const road_options& options) {
  check_scale(options.scale);
  if (!(options.degree >= 2 && options.degree <= 4)) {
    throw usage_error("the mean degree of a road network must be 2 to 4, not " + std::to_string(options.degree));
  }
}

void check(const mesh_options& options) {
  check_scale(options.scale);
}

std::uint32_t checked_radius(const rgg_options& options) {
  check_scale(options.scale);
  if (!(options.radius >= 0 && options.radius <= 0.5)) {
    throw usage_error("the radius must be 0 to 0.5, not " + std::to_string(options.radius));
  }
  double radius = options.radius;
  if (radius == 0) {
    constexpr double pi = 3.14159265358979323846;
    if (!(options.degree > 0)) {
      throw usage_error("the mean degree must be above 0, not " + std::to_string(options.degree));
    }
    radius = std::min(0.5, std::sqrt(options.degree / (pi * std::ldexp(1.0, options.scale))));
  }
  return static_cast<std::uint32_t>(radius * 4294967296.0);
}

}  // namespace mangrove::io::detail
