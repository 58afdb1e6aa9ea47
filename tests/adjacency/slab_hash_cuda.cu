#include "mangrove/core/for_each.cuh"

#include "slab_hash_ref_suite.hpp"
#include "slab_hash_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cuda, slab_hash, hash_type_list<cuda>);
INSTANTIATE_TYPED_TEST_SUITE_P(cuda, slab_hash_by_tile, hash_type_list<cuda>);
}  // namespace mangrove::test
