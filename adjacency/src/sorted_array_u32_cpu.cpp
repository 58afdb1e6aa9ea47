#include "mangrove/core/for_each.hpp"
#include "sorted_array_check_impl.hpp"
#include "sorted_array_erase_impl.hpp"
#include "sorted_array_insert_impl.hpp"
#include "sorted_array_query_impl.hpp"

namespace mangrove::detail {

template class sorted_array_storage<cpu, std::uint32_t>;

}  // namespace mangrove::detail
