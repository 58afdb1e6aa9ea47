#pragma once

#include <type_traits>

namespace mangrove {

/// The type of what is not there: values of a set, weights of an unweighted graph.
struct none {
  friend constexpr bool operator==(none, none) { return true; }
};

template <class T>
inline constexpr bool is_none = std::is_same_v<T, none>;

}  // namespace mangrove
