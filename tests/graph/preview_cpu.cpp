#include "mangrove/core/for_each.hpp"

#include "preview_suite.hpp"

namespace mangrove::test {
INSTANTIATE_TYPED_TEST_SUITE_P(cpu, previews, graph_type_list<cpu>);
}  // namespace mangrove::test
