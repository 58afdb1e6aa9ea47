#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "mangrove/core/resources.hpp"
#include "mangrove/core/transfer.hpp"

namespace mangrove::detail {

/// Pinned host memory that a kernel writes small objects to, each word with the number of the fetch, which the host
/// waits for: a copy would take longer, since another engine of the device makes copies and has to be waited for first.
///
/// Thread-safety: may be used from several threads at once, which wait for each other.
class mailbox {
 public:
  static constexpr std::size_t capacity = most_mailed;  ///< bytes of an object
  /// Letters of one, at most: a word for each 32 of its words, and those that are not zero.
  static constexpr std::size_t words = capacity / sizeof(std::uint32_t) * 33 / 32;

  /// Copies an object of device memory to `to`. Waits for all work before it on the stream.
  /// @param bytes a multiple of 4, at most `capacity` @throws backend_error when some of that work failed; memory_error
  void fetch(const cuda_resources& res, void* to, void* object, std::size_t bytes, leave what,
             const pastime& meanwhile);

 private:
  void make_room(const cuda_resources& res);
  /// Makes all numbers of fetches usable again.
  void forget_letters();

  std::mutex busy_;
  std::shared_ptr<std::uint64_t> letters_;  ///< [dim = words] in the low half a word, in the high half a fetch's number
  std::uint32_t fetches_ = 0;
};

}  // namespace mangrove::detail
