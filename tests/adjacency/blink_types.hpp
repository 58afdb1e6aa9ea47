#pragma once

#include "mangrove/adjacency/blink_tree.hpp"
#include "ordered_types.hpp"
#include "support/sanitizers.hpp"

namespace mangrove::test {

/// A B-link tree to test.
template <backend B, class Key, class Value>
using blink_types = ordered_types<B, blink_tree<B, Key, Value>>;

template <backend B>
using blink_type_list =
    types_to_test<types_kept(2, 4), blink_types<B, std::uint32_t, none>, blink_types<B, std::uint64_t, std::uint64_t>,
                  blink_types<B, pair_key, double>, blink_types<B, std::int32_t, std::uint64_t>,
                  blink_types<B, std::uint32_t, std::uint32_t>, blink_types<B, double, std::uint32_t>,
                  blink_types<B, float, none>>;

}  // namespace mangrove::test
