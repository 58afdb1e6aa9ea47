#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

/// @file
/// Where bytes come from: files mapped into memory, descriptors, memory, gzip on top of any of these.

namespace mangrove::io::detail {

/// A source of bytes, read once from its beginning to its end.
class byte_reader {
 public:
  byte_reader() = default;
  virtual ~byte_reader() = default;
  byte_reader(const byte_reader&) = delete;
  byte_reader& operator=(const byte_reader&) = delete;

  /// Reads what there is without waiting for more than one byte, at most `size` bytes; 0 only at the end.
  virtual std::size_t read(char* out, std::size_t size) = 0;
  /// Bytes of the underlying file taken so far.
  [[nodiscard]] virtual std::uint64_t consumed() const noexcept = 0;
  /// Size of the underlying file, 0 if unknown.
  [[nodiscard]] virtual std::uint64_t total() const noexcept = 0;
};

/// Decompresses gzip data of any number of members. Throws `io_error` where the data is corrupt or ends too early.
std::unique_ptr<byte_reader> make_gzip_reader(std::string name, std::unique_ptr<byte_reader> compressed);

/// Reads a range of memory that outlives it.
std::unique_ptr<byte_reader> make_memory_reader(std::string_view memory);

/// An opened input: all of its bytes in memory, or a reader of them. Decompressed as it is read.
class input {
 public:
  /// Opens a file, or standard input for `-`. Regular files are mapped.
  /// @throws io_error it cannot be opened, is a folder, or is called `.gz` and is not gzip-compressed
  explicit input(const std::string& path);
  /// Input from memory that outlives it, gzip-compressed or not.
  input(std::string name, std::string_view memory);
  ~input();
  input(const input&) = delete;
  input& operator=(const input&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Null if the whole input is in `memory()`.
  [[nodiscard]] byte_reader* reader() const noexcept { return reader_.get(); }
  [[nodiscard]] std::string_view memory() const noexcept { return memory_; }
  /// The first bytes of what is still to be read, fewer than `size` only if there are no more.
  std::string peek(std::size_t size);

 private:
  void map(int file, std::size_t size);
  void recognise_gzip();

  std::string name_;
  std::string_view memory_;
  void* mapping_ = nullptr;
  std::unique_ptr<byte_reader> reader_;
};

[[nodiscard]] bool has_suffix(std::string_view path, std::string_view lower_case_suffix);

}  // namespace mangrove::io::detail
