#include "mailbox.hpp"

#include <cuda_runtime_api.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <string>
#include <vector>

#include "mangrove/core/detail/cuda_check.hpp"
#include "mangrove/core/detail/launch.cuh"

namespace mangrove::detail {

namespace {

constexpr int posting_threads = 256;

/// Writes an object to host memory, and the number of the fetch to where the host looks for it.
__global__ void post(std::uint32_t* object, std::size_t words, leave what, std::uint32_t* pinned,
                     std::uint32_t* arrived, std::uint32_t number) {
  begin_kernel();
  for (std::size_t i = threadIdx.x; i < words; i += posting_threads) {
    pinned[i] = object[i];
    if (what == leave::zero) object[i] = 0;
  }
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) asm volatile("st.release.sys.u32 [%0], %1;" ::"l"(arrived), "r"(number) : "memory");
}

/// Whether the number arrives soon. A wait that takes longer is the driver's, which also knows of errors.
bool arrives_soon(std::uint32_t* word, std::uint32_t number) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(500);
  const std::atomic_ref<std::uint32_t> arrived(*word);
  do {
    for (int looks = 0; looks < 256; ++looks) {
      if (arrived.load(std::memory_order_acquire) == number) return true;
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
  std::uint32_t* take() {
    const std::lock_guard lock(busy_);
    if (idle_.empty()) return nullptr;
    std::uint32_t* const block = idle_.back();
    idle_.pop_back();
    return block;
  }

  void give(std::uint32_t* block) noexcept {
    try {
      const std::lock_guard lock(busy_);
      idle_.push_back(block);
    } catch (...) {
      cudaFreeHost(block);
    }
  }

 private:
  std::mutex busy_;
  std::vector<std::uint32_t*> idle_;
};

std::uint32_t* new_block(const cuda_resources& res, std::size_t bytes) {
  res.activate();
  void* block = nullptr;
  if (cudaMallocHost(&block, bytes) == cudaSuccess) return static_cast<std::uint32_t*>(block);
  static_cast<void>(cudaGetLastError());
  throw memory_error("the driver refused " + std::to_string(bytes) + " bytes of pinned host memory");
}

}  // namespace

void mailbox::make_room(const cuda_resources& res) {
  std::uint32_t* block = idle_blocks::all().take();
  if (block == nullptr) block = new_block(res, capacity + sizeof(std::uint32_t));
  block[words] = fetches_;
  pinned_ = {block, [](std::uint32_t* pinned) { idle_blocks::all().give(pinned); }};
}

void mailbox::fetch(const cuda_resources& res, void* to, void* object, std::size_t bytes, leave what,
                    const pastime& meanwhile) {
  const std::lock_guard lock(busy_);
  if (pinned_ == nullptr) make_room(res);
  std::uint32_t* const arrived = pinned_.get() + words;
  const std::uint32_t number = ++fetches_;
  launch(res, {1, posting_threads, 0}, &post, static_cast<std::uint32_t*>(object), bytes / sizeof(std::uint32_t), what,
         pinned_.get(), arrived, number);
  if (meanwhile) meanwhile();
  if (!arrives_soon(arrived, number)) res.synchronize();
  std::memcpy(to, pinned_.get(), bytes);
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
