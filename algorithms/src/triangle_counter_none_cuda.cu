#include "mangrove/core/for_each.cuh"
#include "mangrove/core/for_each_scratch.cuh"

#include "triangle_counter_impl.hpp"

namespace mangrove {

template class triangle_counter<cuda, std::uint32_t, none>;
template class triangle_counter<cuda, std::uint64_t, none>;

}  // namespace mangrove
