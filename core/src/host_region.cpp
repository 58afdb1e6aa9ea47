#include <sys/mman.h>

#include <algorithm>
#include <string>
#include <utility>

#include "huge_page.hpp"
#include "mangrove/core/error.hpp"
#include "mangrove/core/mapped_region.hpp"

namespace mangrove::detail {

namespace {

constexpr std::size_t small_page = std::size_t{64} << 10;

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// Small regions grow by small steps, so that a thousand small graphs do not take a huge page each.
std::size_t commit_size(std::size_t bytes) {
  return round_up(bytes, bytes < huge_page ? small_page : huge_page);
}

}  // namespace

host_region::host_region(const cpu_resources& res, std::size_t capacity, fresh_memory)
    : resources_(res), capacity_(round_up(std::max<std::size_t>(capacity, 1), huge_page)) {
  void* address = mmap(nullptr, capacity_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) {
    throw memory_error("the host refused " + std::to_string(capacity_ >> 20) +
                       " MiB of addresses; raise the limit on virtual memory (ulimit -v)");
  }
  data_ = static_cast<std::byte*>(address);
  wish_for_huge_pages(data_, capacity_);
}

host_region::host_region(host_region&& other) noexcept
    : resources_(other.resources_),
      data_(std::exchange(other.data_, nullptr)),
      capacity_(std::exchange(other.capacity_, 0)),
      committed_(std::exchange(other.committed_, 0)) {}

host_region& host_region::operator=(host_region&& other) noexcept {
  std::swap(resources_, other.resources_);
  std::swap(data_, other.data_);
  std::swap(capacity_, other.capacity_);
  std::swap(committed_, other.committed_);
  return *this;
}

host_region::~host_region() {
  if (data_ == nullptr) return;
  munmap(data_, capacity_);
  resources_.memory().uncommit(committed_);
}

void host_region::commit(std::size_t bytes) {
  if (bytes <= committed_) return;
  const std::size_t target = std::min(commit_size(bytes), capacity_);
  resources_.memory().commit(target - committed_);
  if (bytes > capacity_ || mprotect(data_, target, PROT_READ | PROT_WRITE) != 0) {
    resources_.memory().uncommit(target - committed_);
    throw memory_error("the host refused " + std::to_string((target - committed_) >> 10) +
                       " KiB more for a growing array; use a smaller graph or batch");
  }
  committed_ = target;
}

}  // namespace mangrove::detail
