// The engines of sets of 64-bit keys.
#include "bs_tree_targets.hpp"
// The instruction sets are chosen above, before Highway.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bs_tree_u64_none.cpp"
#include <hwy/foreach_target.h>
// From here on, once per instruction set.
#include "bs_tree_factory-inl.hpp"

#if HWY_ONCE
#include "bs_tree_dispatch.hpp"

template std::unique_ptr<mangrove::detail::bs_tree_engine<std::uint64_t, mangrove::none>>
mangrove::detail::make_bs_tree_engine(const cpu_resources&, const bs_tree_kind&);
#endif
