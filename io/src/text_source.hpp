#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "byte_reader.hpp"

namespace mangrove::io::detail {

/// Some whole lines of a text; only the last line of the text may lack its newline.
struct text_chunk {
  std::string_view text;
  std::shared_ptr<char[]> storage;  ///< keeps `text` alive where it is not in the source's memory
  bool line_too_long = false;       ///< the last line was cut after `longest_line` bytes: the text is malformed
  bool starved = false;             ///< the source had no more bytes at hand
};

/// Cuts a text into chunks at line starts.
class text_source {
 public:
  static constexpr std::size_t default_chunk_bytes = std::size_t{1} << 20;
  static constexpr std::size_t longest_line = std::size_t{1} << 20;

  /// @param input outlives the source and the chunks taken from it
  explicit text_source(const input& input, std::size_t chunk_bytes = default_chunk_bytes);

  /// The next lines; false at the end.
  bool next(text_chunk& chunk);
  /// The next line without its line end, valid until the next call; false at the end.
  /// @throws io_error the line is too long
  bool next_line(std::string_view& line);
  /// Puts back the line that `next_line` gave last.
  void unread_line() noexcept;

  /// Lines taken with `next_line`.
  [[nodiscard]] std::uint64_t lines() const noexcept { return lines_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::size_t chunk_bytes() const noexcept { return chunk_bytes_; }

  /// Bytes of the file taken, and its size (0 if unknown); of the compressed file where it is one.
  [[nodiscard]] std::uint64_t bytes_read() const noexcept;
  [[nodiscard]] std::uint64_t bytes_total() const noexcept;
  /// Size of the text, 0 if unknown.
  [[nodiscard]] std::size_t text_bytes() const noexcept { return reader_ == nullptr ? memory_.size() : 0; }

 private:
  bool fetch(text_chunk& chunk);
  bool cut_from_memory(text_chunk& chunk);
  bool read_chunk(text_chunk& chunk);

  std::string name_;
  std::size_t chunk_bytes_;
  std::string_view memory_;
  std::size_t position_ = 0;
  byte_reader* reader_;
  std::string carry_;  // the begin of a line whose end has not been read
  text_chunk pending_;
  std::string_view before_line_;
  std::uint64_t lines_ = 0;
};

[[noreturn]] void throw_line_too_long(const std::string& name, std::uint64_t line);

}  // namespace mangrove::io::detail
