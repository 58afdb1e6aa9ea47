#include "bulk_suite.hpp"
#include "support/sanitizers.hpp"

namespace mangrove::test {

template <int Threads>
struct cpu_threads {
  static cpu_resources make() { return cpu_resources(Threads); }
};

using thread_counts = types_to_test<types_kept(2, 3), cpu_threads<2>, cpu_threads<7>, cpu_threads<1>>;
INSTANTIATE_TYPED_TEST_SUITE_P(cpu, bulk, thread_counts);

}  // namespace mangrove::test
