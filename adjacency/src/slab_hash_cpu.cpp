#include "mangrove/adjacency/detail/slab_hash_storage_impl.hpp"
#include "mangrove/core/for_each.hpp"

namespace mangrove::detail {

template class slab_hash_storage<cpu, std::uint32_t, none>;
template class slab_hash_storage<cpu, std::uint32_t, std::uint32_t>;
template class slab_hash_storage<cpu, std::uint32_t, std::uint64_t>;
template class slab_hash_storage<cpu, std::uint64_t, none>;
template class slab_hash_storage<cpu, std::uint64_t, std::uint32_t>;
template class slab_hash_storage<cpu, std::uint64_t, std::uint64_t>;

}  // namespace mangrove::detail
