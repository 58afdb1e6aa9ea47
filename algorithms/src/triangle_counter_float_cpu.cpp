#include "mangrove/core/for_each.hpp"

#include "hub_batch.hpp"
#include "triangle_counter_impl.hpp"

namespace mangrove {

template class triangle_counter<cpu, std::uint32_t, float>;
template class triangle_counter<cpu, std::uint64_t, float>;

}  // namespace mangrove
