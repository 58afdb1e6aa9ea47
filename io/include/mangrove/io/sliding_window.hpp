#pragma once

#include <cstdint>
#include <memory>

#include "mangrove/io/stream_batch.hpp"

namespace mangrove::io {

/// Whether a sliding window takes (u, v) and (v, u) for sightings of one edge.
enum class window_edges { undirected, directed };

/// Makes edges leave a timed stream when they have not been seen for `width` units of time.
///
/// After a batch whose newest time is t, the graph holds exactly the edges of the stream whose last sighting s has
/// t - s < width. Edges that the graph got from elsewhere never leave unless the stream names them.
///
/// Cost: amortised constant expected time an update, memory for each edge within the window (and the current batch).
/// Not thread-safe.
class sliding_window {
 public:
  /// @throws usage_error `width` is 0
  explicit sliding_window(std::uint64_t width, window_edges edges = window_edges::undirected);
  ~sliding_window();
  sliding_window(sliding_window&&) noexcept;
  sliding_window& operator=(sliding_window&&) noexcept;

  /// Appends to the batch the erases of the edges that its newest time makes leave, oldest first, and counts them
  /// in `batch.expired`. Batches must come in the order of the stream.
  /// @throws usage_error the batch is not that of a timed list
  void apply(stream_batch& batch);

  /// Edges now inside the window.
  [[nodiscard]] std::uint64_t size() const noexcept;

 private:
  class implementation;
  std::unique_ptr<implementation> implementation_;
};

}  // namespace mangrove::io
