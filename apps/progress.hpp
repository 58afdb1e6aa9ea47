#pragma once

#include <string>

#include "apps/command_line.hpp"
#include "apps/stopwatch.hpp"

namespace mangrove::app {

/// A line on the terminal that shows how far the work is; nothing when standard error is no terminal or messages are
/// not wanted.
class progress_line {
 public:
  explicit progress_line(const common_options& options);
  ~progress_line() { clear(); }
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  /// Draws the line, a few times a second however often it is called.
  /// @param done between 0 and 1, negative when the end is not known
  void show(double done, const std::string& text);

  /// Takes the line away, so that something else can be printed.
  void clear();

 private:
  bool enabled_;
  bool drawn_ = false;
  stopwatch since_drawn_;
};

}  // namespace mangrove::app
