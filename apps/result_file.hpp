#pragma once

#include <string>
#include <string_view>

namespace mangrove::app {

/// A text file that takes its path's place only when it is complete; `-` is standard output. @throws io_error
class result_file {
 public:
  explicit result_file(std::string path);
  ~result_file();
  result_file(const result_file&) = delete;
  result_file& operator=(const result_file&) = delete;

  void write(std::string_view text);

  /// Puts the file in place. To be called once, after the last `write`.
  void commit();

 private:
  [[noreturn]] void fail(const char* what) const;

  std::string path_;
  std::string temporary_;  // empty when nothing is written aside
  int file_ = -1;
};

}  // namespace mangrove::app
