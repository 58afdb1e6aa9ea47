#include "output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <random>
#include <system_error>

#include "mangrove/core/error.hpp"

namespace mangrove::io::detail {

namespace {

constexpr unsigned default_mode = 0666;

/// Where writing to `path` ends up when it is a symbolic link.
std::string resolved(const std::string& path) {
  std::error_code failure;
  const std::filesystem::path target = std::filesystem::weakly_canonical(path, failure);
  return failure ? path : target.string();
}

}  // namespace

output_file::output_file(const std::string& path) : name_(path), target_(path) {
  if (path == "-") {
    file_ = STDOUT_FILENO;
    return;
  }
  target_ = resolved(path);
  struct stat status {};
  const bool exists = ::stat(target_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) throw io_error(name_, 0, "is a folder, expected a file to write");
  if (exists && !S_ISREG(status.st_mode)) {
    file_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (file_ < 0) fail("cannot be opened for writing");
    return;
  }
  if (exists && ::access(target_.c_str(), W_OK) != 0) fail("cannot be written");
  open_beside(target_, default_mode);
  if (exists && ::fchmod(file_, status.st_mode & 07777) != 0) {
    const int reason = errno;
    close_and_remove();
    errno = reason;
    fail("cannot be given the permissions of the file it replaces");
  }
}

output_file::~output_file() {
  close_and_remove();
}

void output_file::open_beside(const std::string& target, unsigned mode) {
  std::random_device random;
  constexpr int attempts = 100;
  for (int i = 0; i < attempts; ++i) {
    temporary_ = target + ".part-" + std::to_string(random());
    file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (file_ >= 0) return;
    if (errno != EEXIST) break;
  }
  temporary_.clear();
  fail("cannot be created");
}

void output_file::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot be written");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void output_file::commit() {
  if (file_ == STDOUT_FILENO && name_ == "-") return;
  if (!temporary_.empty() && ::fsync(file_) != 0) fail("cannot be written to the disk");
  const int file = file_;
  file_ = -1;
  if (::close(file) != 0) fail("cannot be written");
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot be renamed from its temporary name");
  temporary_.clear();
}

void output_file::fail(const char* what) const {
  throw io_error(name_, 0, std::string(what) + ": " + std::generic_category().message(errno));
}

void output_file::close_and_remove() noexcept {
  if (file_ >= 0 && name_ != "-") ::close(file_);
  file_ = -1;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

}  // namespace mangrove::io::detail
