#include "mangrove/core/for_each.cuh"
#include "mangrove/core/for_each_phase.cuh"
#include "mangrove/core/for_each_scratch.cuh"

#include "dynamic_graph_impl.hpp"

namespace mangrove {

template class dynamic_graph<cuda, std::uint32_t, none>;
template class dynamic_graph<cuda, std::uint64_t, none>;

}  // namespace mangrove
