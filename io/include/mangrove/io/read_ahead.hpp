#pragma once

#include <functional>
#include <memory>

#include "mangrove/io/stream_batch.hpp"

namespace mangrove::io {

/// Runs a source of batches on a thread of its own, one batch ahead of its caller.
///
/// `read_ahead ahead([&](stream_batch& batch) { return reader.next(batch) && (window.apply(batch), true); });`
///
/// The batch handed out and the one in preparation trade places, so that their memory is reused.
class read_ahead {
 public:
  /// Fills its argument with the next batch, or returns false at the end.
  using source = std::function<bool(stream_batch&)>;

  /// Starts reading. What `fill` refers to must outlive this object, and nobody else may touch it.
  explicit read_ahead(source fill);

  /// Stops after the batch in preparation and waits for it: as long as the source blocks, on a pipe for example.
  ~read_ahead();
  read_ahead(const read_ahead&) = delete;
  read_ahead& operator=(const read_ahead&) = delete;

  /// Replaces `batch` with the next one; false at the end of the source, and from then on. What the source throws
  /// is thrown here, after the batches before it have been handed out. To be called by one thread at a time.
  bool next(stream_batch& batch);

 private:
  class implementation;
  std::unique_ptr<implementation> implementation_;
};

}  // namespace mangrove::io
