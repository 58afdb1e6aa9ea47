#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>

#include "mangrove/io/stream_batch.hpp"

namespace mangrove::io {

/// The two kinds of update lists, told apart by the first line with data.
enum class stream_kind {
  signed_updates,  ///< `+ u v [w]`, `- u v`, and for vertices `+v u`, `-v u`
  timed_edges      ///< `u v t`: edge (u, v) was seen at time t, a signed 64-bit number; times never decrease
};

/// Batches of `updates` updates each; the last one may be shorter.
struct batch_by_count {
  std::uint64_t updates;
};

/// Batches of the updates whose times lie between two multiples of `units`, counted from the first time of the file.
/// Intervals without updates give no batch. Timed lists only.
struct batch_by_time {
  std::uint64_t units;
};

using batching = std::variant<batch_by_count, batch_by_time>;

/// Reads an update list, a batch at a time.
///
/// Lines that start with `#` or `%`, and blank ones, are skipped. Of a signed list, either all inserts carry a weight
/// or none; the erases of a weighted list have weight 0. gzip is recognised by its first bytes, `-` is standard input,
/// and extensions don't matter. Text is parsed in parallel, some MiB at a time; memory is that plus one batch. What
/// arrives over a pipe is handed on without waiting for more than a batch needs.
///
/// Not thread-safe, but may be used from one thread after another.
class update_reader {
 public:
  /// Opens the list and reads up to its first line with data.
  /// @throws io_error the file is missing or its first line is no update
  /// @throws usage_error batches of 0 updates or units; batches by time of a signed list
  update_reader(const std::string& path, batching by);
  ~update_reader();
  update_reader(update_reader&&) noexcept;
  update_reader& operator=(update_reader&&) noexcept;

  /// An empty file counts as a signed list.
  [[nodiscard]] stream_kind kind() const noexcept;

  /// Replaces `batch` with the next one, reusing its memory; false, with `batch` empty, at the end of the list.
  /// @throws io_error a line is malformed, or its time is less than that of an earlier line; the batches before the
  ///         one with that line may or may not have been returned. The reader is then at its end.
  bool next(stream_batch& batch);

 private:
  class implementation;
  std::unique_ptr<implementation> implementation_;
};

}  // namespace mangrove::io
