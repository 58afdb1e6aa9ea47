#include "byte_reader.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include "mangrove/core/error.hpp"

namespace mangrove::io::detail {

namespace {

constexpr std::size_t compressed_block = std::size_t{1} << 18;

bool is_gzip(std::string_view bytes) {
  return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
}

std::string reason(int error_number) {
  return std::generic_category().message(error_number);
}

class memory_reader final : public byte_reader {
 public:
  explicit memory_reader(std::string_view memory) : memory_(memory) {}

  std::size_t read(char* out, std::size_t size) override {
    const std::size_t taken = memory_.copy(out, size, position_);
    position_ += taken;
    return taken;
  }
  [[nodiscard]] std::uint64_t consumed() const noexcept override { return position_; }
  [[nodiscard]] std::uint64_t total() const noexcept override { return memory_.size(); }

 private:
  std::string_view memory_;
  std::size_t position_ = 0;
};

class descriptor_reader final : public byte_reader {
 public:
  /// Takes the descriptor over, except that of standard input.
  descriptor_reader(std::string name, int file) : name_(std::move(name)), file_(file) {}
  ~descriptor_reader() override {
    if (file_ != STDIN_FILENO) ::close(file_);
  }

  std::size_t read(char* out, std::size_t size) override {
    for (;;) {
      const ssize_t got = ::read(file_, out, size);
      if (got >= 0) {
        consumed_ += static_cast<std::uint64_t>(got);
        return static_cast<std::size_t>(got);
      }
      if (errno != EINTR) throw io_error(name_, 0, "cannot be read: " + reason(errno));
    }
  }
  [[nodiscard]] std::uint64_t consumed() const noexcept override { return consumed_; }
  [[nodiscard]] std::uint64_t total() const noexcept override { return 0; }

 private:
  std::string name_;
  int file_;
  std::uint64_t consumed_ = 0;
};

/// Gives back the bytes that were read to recognise a format, then the rest of their source.
class prefixed_reader final : public byte_reader {
 public:
  prefixed_reader(std::string prefix, std::unique_ptr<byte_reader> rest)
      : prefix_(std::move(prefix)), rest_(std::move(rest)) {}

  std::size_t read(char* out, std::size_t size) override {
    if (position_ == prefix_.size()) return rest_->read(out, size);
    const std::size_t taken = prefix_.copy(out, size, position_);
    position_ += taken;
    return taken;
  }
  [[nodiscard]] std::uint64_t consumed() const noexcept override { return rest_->consumed(); }
  [[nodiscard]] std::uint64_t total() const noexcept override { return rest_->total(); }

 private:
  std::string prefix_;
  std::unique_ptr<byte_reader> rest_;
  std::size_t position_ = 0;
};

class gzip_reader final : public byte_reader {
 public:
  gzip_reader(std::string name, std::unique_ptr<byte_reader> compressed)
      : name_(std::move(name)), compressed_(std::move(compressed)), block_(compressed_block) {
    constexpr int gzip_only = 15 + 16;
    if (inflateInit2(&state_, gzip_only) != Z_OK) throw memory_error(name_ + ": no memory for decompression");
  }
  ~gzip_reader() override { inflateEnd(&state_); }

  std::size_t read(char* out, std::size_t size) override {
    // zlib counts in unsigned int.
    const auto room = static_cast<uInt>(std::min(size, std::size_t{1} << 30));
    state_.next_out = reinterpret_cast<Bytef*>(out);
    state_.avail_out = room;
    while (!ended_ && state_.avail_out == room) {
      if (state_.avail_in == 0) refill();
      if (!ended_) decompress();
    }
    return room - state_.avail_out;
  }
  [[nodiscard]] std::uint64_t consumed() const noexcept override { return compressed_->consumed(); }
  [[nodiscard]] std::uint64_t total() const noexcept override { return compressed_->total(); }

 private:
  void refill() {
    const std::size_t got = compressed_->read(block_.data(), block_.size());
    state_.next_in = reinterpret_cast<Bytef*>(block_.data());
    state_.avail_in = static_cast<uInt>(got);
    if (got != 0) return;
    if (inside_member_) throw io_error(name_, 0, "the gzip data ends too early: the file is truncated");
    ended_ = true;
  }

  void decompress() {
    inside_member_ = true;
    const int status = inflate(&state_, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      inside_member_ = false;
      inflateReset(&state_);
    } else if (status == Z_MEM_ERROR) {
      throw memory_error(name_ + ": no memory for decompression");
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      const char* detail = state_.msg == nullptr ? "unexpected data" : state_.msg;
      throw io_error(name_, 0, std::string("the gzip data is corrupt: ") + detail);
    }
  }

  std::string name_;
  std::unique_ptr<byte_reader> compressed_;
  std::vector<char> block_;
  z_stream state_{};
  bool inside_member_ = true;  // an empty file is a truncated one
  bool ended_ = false;
};

int open_file(const std::string& path) {
  if (path == "-") return STDIN_FILENO;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw io_error(path, 0, "cannot be opened: " + reason(errno));
  return file;
}

}  // namespace

std::unique_ptr<byte_reader> make_gzip_reader(std::string name, std::unique_ptr<byte_reader> compressed) {
  return std::make_unique<gzip_reader>(std::move(name), std::move(compressed));
}

std::unique_ptr<byte_reader> make_memory_reader(std::string_view memory) {
  return std::make_unique<memory_reader>(memory);
}

input::input(std::string name, std::string_view memory) : name_(std::move(name)), memory_(memory) {
  recognise_gzip();
}

input::input(const std::string& path) : name_(path) {
  const int file = open_file(path);
  auto reader = std::make_unique<descriptor_reader>(path, file);
  struct stat status {};
  if (::fstat(file, &status) != 0) throw io_error(path, 0, "cannot be opened: " + reason(errno));
  if (S_ISDIR(status.st_mode)) throw io_error(path, 0, "is a folder, expected a file");
  // Standard input may have been read in part by someone else, who passed the descriptor on.
  if (S_ISREG(status.st_mode) && path != "-" && status.st_size > 0) {
    map(file, static_cast<std::size_t>(status.st_size));
  } else {
    reader_ = std::move(reader);
  }
  try {
    recognise_gzip();
  } catch (...) {
    if (mapping_ != nullptr) ::munmap(mapping_, static_cast<std::size_t>(status.st_size));
    throw;
  }
}

input::~input() {
  if (mapping_ != nullptr) ::munmap(mapping_, memory_.size());
}

void input::map(int file, std::size_t size) {
  void* mapping = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (mapping == MAP_FAILED) throw io_error(name_, 0, "cannot be mapped into memory: " + reason(errno));
  ::madvise(mapping, size, MADV_SEQUENTIAL);
  mapping_ = mapping;
  memory_ = {static_cast<const char*>(mapping), size};
}

std::string input::peek(std::size_t size) {
  if (reader_ == nullptr) return std::string(memory_.substr(0, size));
  std::string begin(size, '\0');
  std::size_t got = 0;
  while (got < size) {
    const std::size_t more = reader_->read(begin.data() + got, size - got);
    if (more == 0) break;
    got += more;
  }
  begin.resize(got);
  reader_ = std::make_unique<prefixed_reader>(begin, std::move(reader_));
  return begin;
}

void input::recognise_gzip() {
  if (is_gzip(peek(2))) {
    reader_ = make_gzip_reader(name_, reader_ == nullptr ? make_memory_reader(memory_) : std::move(reader_));
  } else if (has_suffix(name_, ".gz")) {
    throw io_error(name_, 0, "is not gzip-compressed, though its name ends in .gz");
  }
}

bool has_suffix(std::string_view path, std::string_view lower_case_suffix) {
  return path.size() >= lower_case_suffix.size() &&
         std::equal(lower_case_suffix.rbegin(), lower_case_suffix.rend(), path.rbegin(),
                    [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
}

}  // namespace mangrove::io::detail
