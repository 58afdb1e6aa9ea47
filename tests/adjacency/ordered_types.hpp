#pragma once

#include "ordered_support.hpp"

namespace mangrove::test {

/// An ordered container to test.
template <backend B, class Container>
struct ordered_types {
  using backend_type = B;
  using key = typename Container::key_type;
  using value = typename Container::mapped_type;
  using container = Container;
  static container make(const resources<B>& res) { return container(res); }
};

}  // namespace mangrove::test
