#include <tbb/info.h>

#include <cstring>

#include "mangrove/core/error.hpp"
#include "mangrove/core/resources.hpp"
#include "mangrove/core/thread_arena.hpp"
#include "mangrove/core/transfer.hpp"

namespace mangrove {

cpu_resources::cpu_resources(int threads, std::shared_ptr<memory_resource> memory)
    : threads_(threads == 0 ? tbb::info::default_concurrency() : threads), memory_(std::move(memory)) {
  if (threads < 0) throw usage_error("the number of threads must be 0 (all) or more, not " + std::to_string(threads));
  arena_ = std::make_shared<thread_arena>(threads_);
}

namespace detail {

void copy_bytes(const cpu_resources&, void* to, const void* from, std::size_t bytes) {
  std::memmove(to, from, bytes);
}

void fill_bytes(const cpu_resources&, void* to, int value, std::size_t bytes) {
  std::memset(to, value, bytes);
}

void read_object(const cpu_resources&, void* to, void* object, std::size_t bytes, leave what, const pastime&) {
  std::memcpy(to, object, bytes);
  if (what == leave::zero) std::memset(object, 0, bytes);
}

}  // namespace detail
}  // namespace mangrove
