#include "apps/result_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "apps/output.hpp"
#include "mangrove/core/error.hpp"

namespace mangrove::app {

result_file::result_file(std::string path) : path_(std::move(path)) {
  if (path_ == "-") return;
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    file_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    const std::string aside = path_ + ".part-" + std::to_string(::getpid());
    file_ = ::open(aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file_ >= 0) temporary_ = aside;
  }
  if (file_ < 0) fail("cannot be opened for writing");
}

result_file::~result_file() {
  if (file_ >= 0) ::close(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void result_file::write(std::string_view text) {
  if (path_ == "-") return print(text);
  while (!text.empty()) {
    const ssize_t written = ::write(file_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot be written");
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void result_file::commit() {
  if (path_ == "-") return finish_printing();
  if (!temporary_.empty() && ::fsync(file_) != 0) fail("cannot be written to the disk");
  const int file = file_;
  file_ = -1;
  if (::close(file) != 0) fail("cannot be written");
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail("cannot be renamed from its temporary name");
  temporary_.clear();
}

void result_file::fail(const char* what) const {
  throw io_error(path_, 0, std::string(what) + ": " + std::generic_category().message(errno));
}

}  // namespace mangrove::app
