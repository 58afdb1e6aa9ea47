#include "blink_build_impl.hpp"
#include "blink_check_impl.hpp"
#include "blink_erase_impl.hpp"
#include "blink_insert_impl.hpp"
#include "blink_query_impl.hpp"
#include "blink_settle_impl.hpp"
#include "mangrove/core/for_each.cuh"
#include "mangrove/core/for_each_scratch.cuh"

namespace mangrove::detail {

template class blink_storage<cuda, std::uint32_t>;

}  // namespace mangrove::detail
