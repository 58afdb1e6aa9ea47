#include <tuple>

#include "mangrove/core/for_each.cuh"

#include "tree_support.hpp"
#include "view_reader.hpp"

/// @file
/// The kernels of suites that g++ compiles (`support/cuda_for_each.hpp`).

namespace mangrove::test {

/// Loops over the bodies that read views of graphs.
template <class Vertex, class Weight>
struct view_kernels {
  static constexpr std::tuple loops{
      &for_each_tile<1, read_ids<Vertex, Weight>>,    &for_each_tile<1, read_pair<Vertex, Weight>>,
      &for_each_tile<8, read_pair<Vertex, Weight>>,   &for_each_tile<32, read_pair<Vertex, Weight>>,
      &for_each_tile<1, read_range<Vertex, Weight>>,  &for_each_tile<8, read_range<Vertex, Weight>>,
      &for_each_tile<32, read_range<Vertex, Weight>>, &for_each_tile<8, check_tree<Weight>>,
      &for_each_tile<8, list_leaves<Weight>>,
  };
};

template struct view_kernels<std::uint32_t, none>;
template struct view_kernels<std::uint64_t, none>;
template struct view_kernels<std::uint32_t, float>;
template struct view_kernels<std::uint64_t, double>;

}  // namespace mangrove::test
