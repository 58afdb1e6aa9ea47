#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace mangrove::io::detail {

/// What is wrong with a line, counted from 1 within its chunk.
struct line_error {
  std::uint64_t line;
  std::string message;
};

enum class comment_marks { percent, percent_and_hash };

/// Walks the lines of a chunk and takes numbers and words from them. Blanks are spaces, tabs and carriage returns.
///
/// All functions throw `line_error` where the text is not what they expect; `expected` says what that is.
class line_cursor {
 public:
  line_cursor(std::string_view text, comment_marks marks)
      : at_(text.data()), end_(text.data() + text.size()), hash_is_comment_(marks == comment_marks::percent_and_hash) {}

  /// Goes to the first word of the next line with data; false at the end of the chunk.
  bool next_data_line() {
    for (;;) {
      skip_blanks();
      if (at_ == end_) return false;
      if (*at_ == '%' || (*at_ == '#' && hash_is_comment_)) skip_to_line_end();
      if (at_ == end_) return false;
      if (*at_ != '\n') return true;
      step_over_newline();
    }
  }

  /// Whether the line has no more words.
  [[nodiscard]] bool at_line_end() const { return at_ == end_ || *at_ == '\n'; }

  /// Steps behind the line's end; no more words may be before it.
  void end_line(const char* expected) {
    if (at_ == end_) return;
    if (*at_ != '\n') fail_at_word(expected);
    step_over_newline();
  }

  std::uint64_t unsigned_number(const char* expected) { return integer<std::uint64_t>(expected); }
  std::int64_t signed_number(const char* expected) { return integer<std::int64_t>(expected); }
  /// A finite number; one too small for a double is rounded towards 0.
  double real_number(const char* expected);
  /// The next word, empty at the line's end.
  std::string_view word();

  /// Lines begun so far: the number of the current line.
  [[nodiscard]] std::uint64_t line() const noexcept { return newlines_ + 1; }
  /// Lines in what was walked over: at the end of the chunk, the number of its lines.
  [[nodiscard]] std::uint64_t newlines() const noexcept { return newlines_; }

  [[noreturn]] void fail(std::string message) const { throw line_error{line(), std::move(message)}; }
  /// Fails with `expected` and the word that is there instead.
  [[noreturn]] void fail_at_word(const char* expected) const;

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

  void skip_blanks() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
  }
  void skip_to_line_end() {
    const void* newline = std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_));
    at_ = newline == nullptr ? end_ : static_cast<const char*>(newline);
  }
  void step_over_newline() {
    ++at_;
    ++newlines_;
  }
  [[nodiscard]] bool ends_word(const char* p) const { return p == end_ || *p == '\n' || is_blank(*p); }

  template <typename Integer>
  Integer integer(const char* expected) {
    Integer value{};
    const char* begin = at_;
    if (begin != end_ && *begin == '+' && begin + 1 != end_ && begin[1] != '-') ++begin;
    const auto [stop, status] = std::from_chars(begin, end_, value);
    if (status != std::errc{} || !ends_word(stop)) fail_at_integer(status, stop, expected);
    at_ = stop;
    skip_blanks();
    return value;
  }
  [[noreturn]] void fail_at_integer(std::errc status, const char* stop, const char* expected) const;
  [[nodiscard]] std::string_view peek_word() const;

  const char* at_;
  const char* end_;
  std::uint64_t newlines_ = 0;
  bool hash_is_comment_;
};

/// A word for messages: in quotes, shortened, unprintable bytes as \xNN.
std::string quoted(std::string_view word);

}  // namespace mangrove::io::detail
