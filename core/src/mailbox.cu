#include "mailbox.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "mangrove/core/detail/cuda_check.hpp"
#include "mangrove/core/detail/launch.cuh"

namespace mangrove::detail {

namespace {

constexpr int posting_threads = 256;

/// Writes an object to host memory, each word together with the number of the fetch: then nobody has to make sure that
/// all words are there before the host is told.
__global__ void post(std::uint32_t* object, std::size_t words, leave what, std::uint64_t* letters,
                     std::uint32_t number) {
  begin_kernel();
  for (std::size_t i = threadIdx.x; i < words; i += posting_threads) {
    const std::uint64_t letter = std::uint64_t{number} << 32 | object[i];
    asm volatile("st.relaxed.sys.u64 [%0], %1;" ::"l"(letters + i), "l"(letter) : "memory");
    if (what == leave::zero) object[i] = 0;
  }
}

/// Takes the letters that are there, from the i-th on up to the first that is not. @return the place of that one
std::size_t take_letters(std::uint64_t* letters, std::size_t i, std::size_t count, std::uint32_t number,
                         std::byte* to) {
  for (; i < count; ++i) {
    const std::uint64_t letter = std::atomic_ref<std::uint64_t>(letters[i]).load(std::memory_order_relaxed);
    if (letter >> 32 != number) break;
    const auto word = static_cast<std::uint32_t>(letter);
    std::memcpy(to + i * sizeof(word), &word, sizeof(word));
  }
  return i;
}

/// Whether all letters come soon. A wait that takes longer is the driver's, which also knows of errors.
bool take_soon(std::uint64_t* letters, std::size_t count, std::uint32_t number, std::byte* to) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(500);
  std::size_t taken = 0;
  do {
    for (int looks = 0; looks < 256; ++looks) {
      taken = take_letters(letters, taken, count, number, to);
      if (taken == count) return true;
    }
  } while (std::chrono::steady_clock::now() < until);
  return false;
}

/// Pinned blocks that nobody uses. To allocate one takes longer than most batches do, and resources that stand for
/// somebody else's stream may live for one call only. What is kept is freed with the process.
class idle_blocks {
 public:
  static idle_blocks& all() {
    static auto* const blocks = new idle_blocks;
    return *blocks;
  }

  /// A block, or null if there is none.
  std::uint64_t* take() {
    const std::lock_guard lock(busy_);
    if (idle_.empty()) return nullptr;
    std::uint64_t* const block = idle_.back();
    idle_.pop_back();
    return block;
  }

  void give(std::uint64_t* block) noexcept {
    try {
      const std::lock_guard lock(busy_);
      idle_.push_back(block);
    } catch (...) {
      cudaFreeHost(block);
    }
  }

 private:
  std::mutex busy_;
  std::vector<std::uint64_t*> idle_;
};

std::uint64_t* new_block(const cuda_resources& res, std::size_t bytes) {
  res.activate();
  void* block = nullptr;
  if (cudaMallocHost(&block, bytes) == cudaSuccess) return static_cast<std::uint64_t*>(block);
  static_cast<void>(cudaGetLastError());
  throw memory_error("the driver refused " + std::to_string(bytes) + " bytes of pinned host memory");
}

}  // namespace

void mailbox::make_room(const cuda_resources& res) {
  std::uint64_t* block = idle_blocks::all().take();
  if (block == nullptr) block = new_block(res, words * sizeof(std::uint64_t));
  letters_ = {block, [](std::uint64_t* letters) { idle_blocks::all().give(letters); }};
  forget_letters();
}

void mailbox::forget_letters() {
  std::fill_n(letters_.get(), words, std::uint64_t{0});
  fetches_ = 0;
}

void mailbox::fetch(const cuda_resources& res, void* to, void* object, std::size_t bytes, leave what,
                    const pastime& meanwhile) {
  const std::lock_guard lock(busy_);
  if (letters_ == nullptr) make_room(res);
  if (fetches_ == std::numeric_limits<std::uint32_t>::max()) forget_letters();
  const std::uint32_t number = ++fetches_;
  const std::size_t count = bytes / sizeof(std::uint32_t);
  launch(res, {1, posting_threads, 0}, &post, static_cast<std::uint32_t*>(object), count, what, letters_.get(), number);
  if (meanwhile) meanwhile();
  auto* const bytes_to = static_cast<std::byte*>(to);
  if (take_soon(letters_.get(), count, number, bytes_to)) return;
  res.synchronize();
  take_letters(letters_.get(), 0, count, number, bytes_to);
}

void read_object(const cuda_resources& res, void* to, void* object, std::size_t bytes, leave what,
                 const pastime& meanwhile) {
  constexpr std::size_t word = sizeof(std::uint32_t);
  if (bytes <= mailbox::capacity && bytes % word == 0 && reinterpret_cast<std::uintptr_t>(object) % word == 0) {
    return res.mail().fetch(res, to, object, bytes, what, meanwhile);
  }
  copy_bytes(res, to, object, bytes);
  if (what == leave::zero) fill_bytes(res, object, 0, bytes);
  if (meanwhile) meanwhile();
  res.synchronize();
}

}  // namespace mangrove::detail
