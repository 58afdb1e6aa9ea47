#pragma once

#include <cstdint>
#include <cstdlib>

namespace mangrove::test {

/// A number that an environment variable sets. @param usual what it is when the variable is not there
inline std::uint64_t environment_number(const char* name, std::uint64_t usual) {
  const char* const wanted = std::getenv(name);
  return wanted == nullptr ? usual : std::strtoull(wanted, nullptr, 10);
}

}  // namespace mangrove::test
