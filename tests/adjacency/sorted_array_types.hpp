#pragma once

#include "mangrove/adjacency/sorted_array.hpp"
#include "ordered_types.hpp"
#include "support/sanitizers.hpp"

namespace mangrove::test {

/// A sorted array to test.
template <backend B, class Key, class Value>
using sorted_array_types = ordered_types<B, sorted_array<B, Key, Value>>;

template <backend B>
using sorted_array_type_list =
    types_to_test<types_kept(2, 4), sorted_array_types<B, std::uint32_t, none>,
                  sorted_array_types<B, std::uint64_t, std::uint64_t>, sorted_array_types<B, pair_key, double>,
                  sorted_array_types<B, std::int32_t, std::uint64_t>,
                  sorted_array_types<B, std::uint32_t, std::uint32_t>, sorted_array_types<B, double, std::uint32_t>,
                  sorted_array_types<B, float, none>>;

/// Those that differ in the widths of keys and values.
template <backend B>
using sorted_array_short_list =
    testing::Types<sorted_array_types<B, std::uint32_t, std::uint64_t>, sorted_array_types<B, std::uint64_t, none>>;

}  // namespace mangrove::test
