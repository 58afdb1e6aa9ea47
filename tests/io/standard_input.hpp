#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace mangrove::io::test {

/// Puts a descriptor in the place of standard input while it lives.
class standard_input {
 public:
  explicit standard_input(int file) : before_(::dup(STDIN_FILENO)) {
    ::dup2(file, STDIN_FILENO);
    ::close(file);
  }
  ~standard_input() {
    ::dup2(before_, STDIN_FILENO);
    ::close(before_);
  }
  standard_input(const standard_input&) = delete;
  standard_input& operator=(const standard_input&) = delete;

 private:
  int before_;
};

class standard_input_from_file {
 public:
  explicit standard_input_from_file(const std::string& path) : redirected_(::open(path.c_str(), O_RDONLY)) {}

 private:
  standard_input redirected_;
};

/// A pipe into which a thread writes `content`, a few bytes at a time; it must be read to its end.
class standard_input_from_pipe {
 public:
  explicit standard_input_from_pipe(std::string content)
      : redirected_(open_pipe()), writer_([this, text = std::move(content)] { write_all(text); }) {}
  ~standard_input_from_pipe() { writer_.join(); }
  standard_input_from_pipe(const standard_input_from_pipe&) = delete;
  standard_input_from_pipe& operator=(const standard_input_from_pipe&) = delete;

 private:
  int open_pipe() {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
    write_end_ = ends[1];
    return ends[0];
  }
  void write_all(const std::string& text) const {
    constexpr std::size_t piece = 4093;
    for (std::size_t at = 0; at < text.size(); at += piece) {
      const std::size_t size = std::min(piece, text.size() - at);
      if (::write(write_end_, text.data() + at, size) != static_cast<ssize_t>(size)) break;
    }
    ::close(write_end_);
  }

  int write_end_ = -1;
  standard_input redirected_;
  std::thread writer_;
};

}  // namespace mangrove::io::test
