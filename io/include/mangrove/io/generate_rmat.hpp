#pragma once

#include <algorithm>

#include "mangrove/io/counter_random.hpp"
#include "mangrove/io/generate.hpp"

namespace mangrove::io {

/// R-MAT as a function from an edge's number to its ends, for any thread of either backend.
class rmat_generator {
 public:
  /// Every item makes exactly one edge.
  static constexpr std::uint64_t edges_per_item = 1;

  /// @pre the options are in range
  explicit rmat_generator(const rmat_options& options)
      : random_(options.seed, 0),
        order_(options.seed, 1, std::uint64_t{1} << options.scale),
        a_(probability(options.a).hits()),
        ab_(a_ + probability(options.b).hits()),
        abc_(ab_ + probability(options.c).hits()),
        items_(options.edge_factor << options.scale),
        scale_(options.scale),
        ids_(options.ids) {}

  /// Number of edges.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t items() const { return items_; }

  /// Calls `emit(u, v)` with the ids of the ends of edge i.
  template <class Emit>
  MANGROVE_HOST_DEVICE void operator()(std::uint64_t i, Emit emit) const {
    const std::uint64_t base = random_(i);
    std::uint64_t u = 0;
    std::uint64_t v = 0;
    for (int level = 0; level < scale_; level += 2) {
      const std::uint64_t random = mix(base + static_cast<std::uint64_t>(level));
      descend(random >> 32, u, v);
      if (level + 1 < scale_) descend(random & 0xffffffffU, u, v);
    }
    emit(id(u), id(v));
  }

 private:
  /// Appends a bit to u and to v: one step into a quadrant of the matrix.
  MANGROVE_HOST_DEVICE void descend(std::uint64_t random, std::uint64_t& u, std::uint64_t& v) const {
    const bool lower = random >= ab_;
    const bool right = lower ? random >= abc_ : random >= a_;
    u = 2 * u + (lower ? 1 : 0);
    v = 2 * v + (right ? 1 : 0);
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t id(std::uint64_t vertex) const {
    return 1 + (ids_ == rmat_ids::scrambled ? order_(vertex) : vertex);
  }

  counter_random random_;
  random_permutation order_;
  std::uint64_t a_, ab_, abc_;  // thresholds of 32-bit random numbers
  std::uint64_t items_;
  int scale_;
  rmat_ids ids_;
};

}  // namespace mangrove::io
