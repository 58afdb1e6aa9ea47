#pragma once

#include <cstdint>

#include "mangrove/core/backend.hpp"

namespace mangrove {

/// What became of an insert.
enum class insert_result : std::uint8_t {
  inserted,  ///< the key was absent and is there now
  exists,    ///< the key was there already; nothing changed
  full       ///< the key is absent and there is no slot left for it; nothing changed
};

/// What became of an insert_or_assign.
enum class assign_result : std::uint8_t {
  inserted,  ///< the key was absent and is there now
  assigned,  ///< the key was there already and has the new value now
  full       ///< the key is absent and there is no slot left for it; nothing changed
};

/// What a search found: a value, or nothing. Trivially copyable, for tiles to hand around.
template <class Value>
class lookup_result {
 public:
  lookup_result() = default;
  MANGROVE_HOST_DEVICE explicit lookup_result(Value value) : value_(value), found_(true) {}

  MANGROVE_HOST_DEVICE explicit operator bool() const { return found_; }
  /// The value. @pre something was found
  MANGROVE_HOST_DEVICE const Value& operator*() const { return value_; }

 private:
  Value value_{};
  bool found_ = false;
};

}  // namespace mangrove
