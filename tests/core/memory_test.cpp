#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "mangrove/core/error.hpp"
#include "mangrove/core/mapped_region.hpp"
#include "mangrove/core/memory_resource.hpp"

namespace mangrove::test {

TEST(host_memory, is_aligned_and_usable) {
  const auto memory = default_host_memory();
  for (const std::size_t bytes : {1, 255, 256, 100000}) {
    void* const pointer = memory->allocate(bytes, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pointer) % 256, 0U);
    std::memset(pointer, 1, bytes);
    memory->deallocate(pointer, bytes, nullptr);
  }
}

TEST(limited_memory, keeps_to_its_budget_of_bytes) {
  limited_memory memory(default_host_memory(), 1000);
  void* const first = memory.allocate(600, nullptr);
  EXPECT_THROW(memory.allocate(401, nullptr), memory_error);
  EXPECT_EQ(memory.bytes_in_use(), 600U);
  memory.commit(400);
  EXPECT_THROW(memory.commit(1), memory_error);
  memory.uncommit(400);
  memory.deallocate(first, 600, nullptr);
  EXPECT_EQ(memory.bytes_in_use(), 0U);
}

TEST(limited_memory, books_nothing_that_upstream_refuses) {
  limited_memory memory(std::make_shared<limited_memory>(default_host_memory(), 100));
  EXPECT_THROW(memory.allocate(101, nullptr), memory_error);
  EXPECT_THROW(memory.commit(101), memory_error);
  EXPECT_EQ(memory.bytes_in_use(), 0U);
}

TEST(limited_memory, refuses_after_a_number_of_requests) {
  limited_memory memory(default_host_memory());
  memory.refuse_after(2);
  memory.commit(1);
  memory.commit(1);
  for (int i = 0; i < 5; ++i) EXPECT_THROW(memory.commit(1), memory_error);
  memory.refuse_after(limited_memory::unlimited);
  memory.commit(1);
  EXPECT_EQ(memory.bytes_in_use(), 3U);
}

TEST(limited_memory, grants_exactly_its_requests_to_many_threads) {
  for (int repeat = 0; repeat < 50; ++repeat) {
    limited_memory memory(default_host_memory());
    memory.refuse_after(1000);
    std::atomic<int> granted{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 1000; ++i) {
          try {
            memory.commit(1);
            ++granted;
          } catch (const memory_error&) {
          }
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(granted, 1000);
    ASSERT_EQ(memory.bytes_in_use(), 1000U);
  }
}

}  // namespace mangrove::test
