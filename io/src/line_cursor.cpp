#include "line_cursor.hpp"

#include <cmath>
#include <cstdlib>

namespace mangrove::io::detail {

namespace {

/// `from_chars` does not say whether a number is too large or too small for a double, `strtod` does.
double number_out_of_range(std::string_view word) {
  return std::strtod(std::string(word).c_str(), nullptr);
}

}  // namespace

double line_cursor::real_number(const char* expected) {
  double value = 0;
  const char* begin = at_;
  if (begin != end_ && *begin == '+' && begin + 1 != end_ && begin[1] != '-') ++begin;
  const auto [stop, status] = std::from_chars(begin, end_, value);
  if (status == std::errc::invalid_argument || !ends_word(stop)) fail_at_word(expected);
  if (status == std::errc::result_out_of_range) {
    value = number_out_of_range({begin, static_cast<std::size_t>(stop - begin)});
    if (std::isinf(value))
      fail("the number " + quoted(peek_word()) + " is too large for a 64-bit floating-point number");
  }
  if (!std::isfinite(value)) fail_at_word(expected);
  at_ = stop;
  skip_blanks();
  return value;
}

std::string_view line_cursor::word() {
  const std::string_view found = peek_word();
  at_ += found.size();
  skip_blanks();
  return found;
}

std::string_view line_cursor::peek_word() const {
  const char* stop = at_;
  while (!ends_word(stop)) ++stop;
  return {at_, static_cast<std::size_t>(stop - at_)};
}

void line_cursor::fail_at_word(const char* expected) const {
  const std::string found = at_line_end() ? "the end of the line" : quoted(peek_word());
  fail("expected " + std::string(expected) + ", found " + found);
}

void line_cursor::fail_at_integer(std::errc status, const char* stop, const char* expected) const {
  if (status == std::errc::result_out_of_range && ends_word(stop)) {
    fail("the number " + quoted(peek_word()) + " does not fit; expected " + expected);
  }
  fail_at_word(expected);
}

std::string quoted(std::string_view word) {
  constexpr std::size_t longest = 40;
  constexpr char digits[] = "0123456789abcdef";
  std::string text = "'";
  for (const char c : word.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      text += c;
    } else {
      text += "\\x";
      text += digits[byte >> 4];
      text += digits[byte & 15];
    }
  }
  return text + (word.size() > longest ? "...'" : "'");
}

}  // namespace mangrove::io::detail
