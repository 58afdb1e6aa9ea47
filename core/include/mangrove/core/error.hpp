#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

/// @file
/// The exceptions Mangrove throws. Every message says what happened, where, and what to do about it.

namespace mangrove {

/// Base of everything that Mangrove throws on purpose.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A file, a stream or its content is not what it should be.
///
/// `what()` reads `FILE:LINE: message`, or `FILE: message` where no line can be named.
class io_error : public error {
 public:
  /// @param file the file's name as the user gave it (`-` for standard input or output)
  /// @param line 1-based line number, 0 when the error belongs to the file as a whole
  /// @param message what is wrong and what was expected
  io_error(std::string file, std::uint64_t line, const std::string& message)
      : error(line == 0 ? file + ": " + message : file + ":" + std::to_string(line) + ": " + message),
        file_(std::move(file)),
        line_(line) {}

  [[nodiscard]] const std::string& file() const noexcept { return file_; }
  [[nodiscard]] std::uint64_t line() const noexcept { return line_; }

 private:
  std::string file_;
  std::uint64_t line_;
};

/// Memory was refused, on the host or on the device. The operation that threw has had no effect.
class memory_error : public error {
 public:
  using error::error;
};

/// A caller broke a documented precondition (an argument out of range, options that contradict each other).
class usage_error : public error {
 public:
  using error::error;
};

/// A backend is absent, or one of its calls failed.
class backend_error : public error {
 public:
  using error::error;
};

}  // namespace mangrove
