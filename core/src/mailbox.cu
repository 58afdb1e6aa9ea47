#include "mailbox.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "mangrove/core/detail/cuda_check.hpp"
#include "mangrove/core/detail/launch.cuh"
#include "mangrove/core/unrolled.hpp"

namespace mangrove::detail {

namespace {

constexpr std::size_t group = 32;  ///< words that a warp looks at together
constexpr std::size_t groups = mailbox::capacity / sizeof(std::uint32_t) / group;
constexpr int posting_threads = 256;
constexpr int groups_of_warp = static_cast<int>(groups * group) / posting_threads;
static_assert(groups == group, "a lane for each group");

/// Writes a word to host memory together with the number of the fetch: then nobody has to make sure that all words are
/// there before the host is told.
__device__ void send(std::uint64_t* letter, std::uint32_t number, std::uint32_t word) {
  const std::uint64_t content = std::uint64_t{number} << 32 | word;
  asm volatile("st.relaxed.sys.u64 [%0], %1;" ::"l"(letter), "l"(content) : "memory");
}

/// Writes an object to host memory: for each group a word that says which of its words are not zero, then those. Most
/// words of what is fetched often are zero, and the host reads a cache line of letters in the time of a launch's tenth.
__global__ void post(std::uint32_t* object, std::size_t words, leave what, std::uint64_t* letters,
                     std::uint32_t number) {
  begin_kernel();
  __shared__ std::uint32_t masks[groups];
  const unsigned lane = threadIdx.x % 32;
  const unsigned first_group = threadIdx.x / 32 * groups_of_warp;
  std::uint32_t own[groups_of_warp];
  unrolled<groups_of_warp>([&](int k) {
    const std::size_t i = (first_group + k) * group + lane;
    own[k] = i < words ? object[i] : 0;
  });
  unrolled<groups_of_warp>([&](int k) {
    const unsigned mask = __ballot_sync(~0U, own[k] != 0);
    if (lane == 0) masks[first_group + k] = mask;
    if (own[k] != 0 && what == leave::zero) object[(first_group + k) * group + lane] = 0;
  });
  __syncthreads();
  const unsigned mask_of_lane = masks[lane];
  if (threadIdx.x < groups) send(letters + lane, number, mask_of_lane);
  unrolled<groups_of_warp>([&](int k) {
    const unsigned before = __reduce_add_sync(~0U, lane < first_group + k ? __popc(mask_of_lane) : 0);
    const unsigned in_group = __popc(masks[first_group + k] & ((1U << lane) - 1));
    if (own[k] != 0) send(letters + groups + before + in_group, number, own[k]);
  });
}

/// What has come of an object.
class parcel {
 public:
  parcel(std::uint64_t* letters, std::uint32_t number) : letters_(letters), number_(number) {}

  /// Takes the letters that are there, in order. @return whether those were all
  bool take() {
    for (; taken_ < expected_; ++taken_) {
      const std::uint64_t letter = std::atomic_ref<std::uint64_t>(letters_[taken_]).load(std::memory_order_relaxed);
      if (letter >> 32 != number_) return false;
      words_[taken_] = static_cast<std::uint32_t>(letter);
      if (taken_ < groups) expected_ += static_cast<std::size_t>(std::popcount(words_[taken_]));
    }
    return true;
  }

  /// Whether all letters come soon. A wait that takes longer is the driver's, which also knows of errors.
  bool take_soon() {
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(500);
    do {
      for (int looks = 0; looks < 256; ++looks) {
        if (take()) return true;
      }
    } while (std::chrono::steady_clock::now() < until);
    return false;
  }

  /// Writes the object. @pre all letters are taken
  void open(std::byte* to, std::size_t bytes) const {
    std::memset(to, 0, bytes);
    const std::uint32_t* next = words_.data() + groups;
    for (std::size_t g = 0; g < groups; ++g) {
      for (std::uint32_t mask = words_[g]; mask != 0; mask &= mask - 1) {
        const std::size_t word = g * group + static_cast<std::size_t>(std::countr_zero(mask));
        std::memcpy(to + word * sizeof(std::uint32_t), next++, sizeof(std::uint32_t));
      }
    }
  }

 private:
  std::uint64_t* letters_;
  std::uint32_t number_;
  std::size_t taken_ = 0;
  std::size_t expected_ = groups;
  std::array<std::uint32_t, mailbox::words> words_;
};

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
  launch(res, {1, posting_threads, 0}, &post, static_cast<std::uint32_t*>(object), bytes / sizeof(std::uint32_t), what,
         letters_.get(), number);
  if (meanwhile) meanwhile();
  parcel from_device(letters_.get(), number);
  if (!from_device.take_soon()) {
    res.synchronize();
    from_device.take();
  }
  from_device.open(static_cast<std::byte*>(to), bytes);
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
