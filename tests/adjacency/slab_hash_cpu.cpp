#include "mangrove/core/for_each.hpp"

#include "slab_hash_ref_suite.hpp"
#include "slab_hash_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cpu, slab_hash, hash_type_list<cpu>);
INSTANTIATE_TYPED_TEST_SUITE_P(cpu, slab_hash_by_tile, hash_type_list<cpu>);
}  // namespace mangrove::test
