#include "mangrove/core/memory_resource.hpp"

#include <new>
#include <string>

#include "huge_page.hpp"
#include "mangrove/core/error.hpp"

namespace mangrove {

namespace {

using detail::huge_page;

/// What is read and written all over wants huge pages, which have to begin at multiples of their size.
constexpr bool wants_huge_pages(std::size_t bytes) {
  return bytes >= 2 * huge_page;
}

constexpr std::align_val_t alignment_for(std::size_t bytes) {
  return std::align_val_t{wants_huge_pages(bytes) ? huge_page : 256};
}

class host_memory final : public memory_resource {
 public:
  void* allocate(std::size_t bytes, void*) override {
    void* pointer = ::operator new(bytes, alignment_for(bytes), std::nothrow);
    if (pointer == nullptr) {
      throw memory_error("the host refused " + std::to_string(bytes) + " bytes; use a smaller graph or batch");
    }
    if (wants_huge_pages(bytes)) detail::wish_for_huge_pages(pointer, bytes);
    return pointer;
  }
  void deallocate(void* pointer, std::size_t bytes, void*) noexcept override {
    ::operator delete(pointer, alignment_for(bytes));
  }
};

}  // namespace

std::shared_ptr<memory_resource> default_host_memory() {
  static const auto memory = std::make_shared<host_memory>();
  return memory;
}

void limited_memory::take(std::size_t bytes) {
  std::uint64_t left = requests_left_;
  while (left != unlimited) {
    if (left == 0) throw memory_error("a memory limit refused a request for " + std::to_string(bytes) + " bytes");
    if (requests_left_.compare_exchange_weak(left, left - 1)) break;
  }
  if (in_use_.fetch_add(bytes) + bytes > byte_limit_) {
    in_use_ -= bytes;
    throw memory_error("a memory limit of " + std::to_string(byte_limit_) + " bytes refused " + std::to_string(bytes) +
                       " more; raise the limit or use a smaller graph or batch");
  }
}

void* limited_memory::allocate(std::size_t bytes, void* stream) {
  take(bytes);
  try {
    return upstream_->allocate(bytes, stream);
  } catch (...) {
    in_use_ -= bytes;
    throw;
  }
}

void limited_memory::deallocate(void* pointer, std::size_t bytes, void* stream) noexcept {
  upstream_->deallocate(pointer, bytes, stream);
  in_use_ -= bytes;
}

void limited_memory::commit(std::size_t bytes) {
  take(bytes);
  try {
    upstream_->commit(bytes);
  } catch (...) {
    in_use_ -= bytes;
    throw;
  }
}

void limited_memory::uncommit(std::size_t bytes) noexcept {
  upstream_->uncommit(bytes);
  in_use_ -= bytes;
}

}  // namespace mangrove
