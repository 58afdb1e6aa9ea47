#include "mangrove/adjacency/detail/slab_hash_storage_impl.hpp"
#include "mangrove/core/for_each.cuh"

namespace mangrove::detail {

template class slab_hash_storage<cuda, std::uint32_t, none>;
template class slab_hash_storage<cuda, std::uint32_t, std::uint32_t>;
template class slab_hash_storage<cuda, std::uint32_t, std::uint64_t>;
template class slab_hash_storage<cuda, std::uint64_t, none>;
template class slab_hash_storage<cuda, std::uint64_t, std::uint32_t>;
template class slab_hash_storage<cuda, std::uint64_t, std::uint64_t>;

}  // namespace mangrove::detail
