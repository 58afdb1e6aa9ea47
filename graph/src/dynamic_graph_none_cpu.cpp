#include "mangrove/core/for_each.hpp"
#include "mangrove/core/for_each_scratch.hpp"

#include "dynamic_graph_impl.hpp"

namespace mangrove {

template class dynamic_graph<cpu, std::uint32_t, none>;
template class dynamic_graph<cpu, std::uint64_t, none>;

}  // namespace mangrove
