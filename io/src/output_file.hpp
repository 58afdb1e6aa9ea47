#pragma once

#include <string>
#include <string_view>

namespace mangrove::io::detail {

/// A file that takes its path's place only when it is complete.
///
/// Bytes go to a new file in the same folder, which `commit` renames; without a commit it is removed. A path that is no
/// regular file (`-` for standard output, a device, a pipe) is written in place. Throws `io_error` for all that goes
/// wrong.
class output_file {
 public:
  explicit output_file(const std::string& path);
  ~output_file();
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;

  void write(std::string_view bytes);
  /// Writes through to the disk and renames. To be called once, after the last `write`.
  void commit();

 private:
  void open_beside(const std::string& target, unsigned mode);
  [[noreturn]] void fail(const char* what) const;
  void close_and_remove() noexcept;

  std::string name_;
  std::string target_;     // where symbolic links lead
  std::string temporary_;  // empty when written in place
  int file_ = -1;
};

}  // namespace mangrove::io::detail
