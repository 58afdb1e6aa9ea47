#include "apps/quantity.hpp"

#include <fmt/format.h>

#include <array>

namespace mangrove::app {

namespace {

/// Three significant digits, without exponent.
std::string three_digits(double value) {
  return fmt::format("{:.{}f}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

template <std::size_t N>
std::string with_prefix(double value, double step, const std::array<const char*, N>& prefixes) {
  std::size_t i = 0;
  for (; value >= step * 0.9995 && i + 1 < N; ++i) value /= step;
  return three_digits(value) + prefixes[i];
}

}  // namespace

std::string grouped(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string scaled(double value) {
  return with_prefix(value, 1000, std::array{"", " k", " M", " G", " T"});
}

std::string duration(double seconds) {
  if (seconds >= 0.9995) return three_digits(seconds) + " s";
  if (seconds >= 0.9995e-3) return three_digits(seconds * 1e3) + " ms";
  return three_digits(seconds * 1e6) + " us";
}

std::string bytes(std::uint64_t count) {
  if (count < 1024) return fmt::format("{} B", count);
  return with_prefix(static_cast<double>(count), 1024, std::array{" B", " KiB", " MiB", " GiB", " TiB"});
}

std::string rate(std::uint64_t count, double seconds, const std::string& things) {
  if (seconds <= 0) return "-";
  std::string number = scaled(static_cast<double>(count) / seconds);
  if (number.find(' ') == std::string::npos) number += ' ';
  return number + (number.back() == ' ' ? "" : " ") + things + "/s";
}

}  // namespace mangrove::app
