#include "mangrove/core/for_each.hpp"

#include "hub_batch.hpp"
#include "triangle_counter_impl.hpp"

namespace mangrove {

template class triangle_counter<cpu, std::uint32_t, double>;
template class triangle_counter<cpu, std::uint64_t, double>;

}  // namespace mangrove
