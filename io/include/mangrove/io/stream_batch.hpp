#pragma once

#include <cstdint>
#include <vector>

#include "mangrove/graph/update.hpp"

namespace mangrove::io {

/// A batch of updates as it comes from a stream, with what is known about its place there.
struct stream_batch {
  update_batch updates;
  std::vector<std::int64_t> times;  ///< of a timed list: the time of each update that comes from the list, else empty
  std::int64_t newest_time = 0;     ///< of a timed list: the largest of `times`

  std::uint64_t expired = 0;         ///< how many erases at the end of `updates` a sliding window has appended
  std::uint64_t updates_so_far = 0;  ///< updates of the list up to and with this batch
  std::uint64_t bytes_read = 0;   ///< bytes of the file consumed so far (compressed ones of a .gz); runs a little ahead
  std::uint64_t bytes_total = 0;  ///< the file's size, 0 where it is not known (pipes)

  /// Empties the columns and keeps their memory.
  void clear() noexcept {
    updates.clear();
    times.clear();
    newest_time = 0;
    expired = updates_so_far = bytes_read = bytes_total = 0;
  }
};

}  // namespace mangrove::io
