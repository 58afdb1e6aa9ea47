#pragma once

#include <cstdint>
#include <string>

/// @file
/// Quantities as people read them.

namespace mangrove::app {

/// 1612010 as "1,612,010".
std::string grouped(std::uint64_t count);

/// A number with three digits and a prefix: "12.3 M".
std::string scaled(double value);

/// "1.23 s", "45.6 ms", "789 us".
std::string duration(double seconds);

/// "12.3 MiB".
std::string bytes(std::uint64_t count);

/// `count` things a second, as "12.3 M updates/s"; "-" when no time has passed.
std::string rate(std::uint64_t count, double seconds, const std::string& things);

}  // namespace mangrove::app
