#include "text_source.hpp"

#include <algorithm>
#include <cstring>

#include "mangrove/core/error.hpp"

namespace mangrove::io::detail {

text_source::text_source(const input& input, std::size_t chunk_bytes)
    : name_(input.name()), chunk_bytes_(chunk_bytes), memory_(input.memory()), reader_(input.reader()) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (fetch(pending_) && pending_.text.substr(0, byte_order_mark.size()) == byte_order_mark) {
    pending_.text.remove_prefix(byte_order_mark.size());
  }
}

bool text_source::next(text_chunk& chunk) {
  if (pending_.text.empty() && !pending_.line_too_long) return fetch(chunk);
  chunk = std::move(pending_);
  pending_ = {};
  return true;
}

bool text_source::next_line(std::string_view& line) {
  if (pending_.text.empty() && !fetch(pending_)) return false;
  before_line_ = pending_.text;
  const std::size_t newline = pending_.text.find('\n');
  if (newline == std::string_view::npos && pending_.line_too_long) throw_line_too_long(name_, lines_ + 1);
  line = pending_.text.substr(0, newline);
  pending_.text.remove_prefix(newline == std::string_view::npos ? pending_.text.size() : newline + 1);
  ++lines_;
  return true;
}

void text_source::unread_line() noexcept {
  pending_.text = before_line_;
  --lines_;
}

bool text_source::fetch(text_chunk& chunk) {
  chunk = {};
  return reader_ == nullptr ? cut_from_memory(chunk) : read_chunk(chunk);
}

bool text_source::cut_from_memory(text_chunk& chunk) {
  const std::string_view rest = memory_.substr(position_);
  if (rest.empty()) return false;
  std::size_t size = std::min(chunk_bytes_, rest.size());
  if (size < rest.size() && rest[size - 1] != '\n') {
    const std::string_view tail = rest.substr(size, longest_line);
    const std::size_t newline = tail.find('\n');
    size += newline == std::string_view::npos ? tail.size() : newline + 1;
    chunk.line_too_long = newline == std::string_view::npos && size < rest.size();
  }
  chunk.text = rest.substr(0, size);
  position_ += size;
  return true;
}

bool text_source::read_chunk(text_chunk& chunk) {
  std::size_t capacity = carry_.size() + chunk_bytes_;
  std::shared_ptr<char[]> storage(new char[capacity]);
  std::size_t size = carry_.copy(storage.get(), carry_.size());
  std::size_t lines_end = 0;
  bool at_end = false;
  while (lines_end == 0 || size < capacity) {
    if (size == capacity) {  // no line end yet
      chunk.line_too_long = size >= longest_line;
      if (chunk.line_too_long) break;
      capacity *= 2;
      std::shared_ptr<char[]> larger(new char[capacity]);
      std::memcpy(larger.get(), storage.get(), size);
      storage = std::move(larger);
    }
    const std::size_t got = reader_->read(storage.get() + size, capacity - size);
    at_end = got == 0;
    if (at_end) break;
    const std::size_t newline = std::string_view(storage.get() + size, got).rfind('\n');
    if (newline != std::string_view::npos) lines_end = size + newline + 1;
    size += got;
    chunk.starved = size < capacity;
    if (chunk.starved && lines_end != 0 && reader_->total() == 0) break;  // a pipe: hand on what has come
  }
  if (at_end || chunk.line_too_long) lines_end = size;
  carry_.assign(storage.get() + lines_end, size - lines_end);
  chunk.text = {storage.get(), lines_end};
  chunk.storage = std::move(storage);
  return lines_end != 0;
}

std::uint64_t text_source::bytes_read() const noexcept {
  return reader_ == nullptr ? position_ : reader_->consumed();
}

std::uint64_t text_source::bytes_total() const noexcept {
  return reader_ == nullptr ? memory_.size() : reader_->total();
}

void throw_line_too_long(const std::string& name, std::uint64_t line) {
  throw io_error(name, line, "the line is longer than 1 MiB: this is no text file of the expected kind");
}

}  // namespace mangrove::io::detail
