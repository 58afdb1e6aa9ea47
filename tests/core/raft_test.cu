#if __has_include(<raft/core/resources.hpp>)

#include <gtest/gtest.h>

#include <raft/core/resources.hpp>

#include "mangrove/core/buffer.hpp"
#include "mangrove/core/bulk.hpp"
#include "mangrove/core/raft.cuh"

namespace mangrove::test {

TEST(raft, resources_share_device_stream_and_memory) {
  const raft::resources handle;
  const cuda_resources res = from_raft(handle);
  EXPECT_EQ(res.device(), raft::resource::get_device_id(handle));
  EXPECT_EQ(res.stream(), raft::resource::get_cuda_stream(handle).get());
  const std::uint64_t host[] = {3, 1, 2};
  buffer<cuda, std::uint64_t> keys = make_buffer<cuda>(res, host, 3);
  sort(res, keys.data(), keys.size());
  EXPECT_EQ(to_host(res, keys.data(), keys.size()), (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST(raft, refused_memory_is_a_memory_error) {
  const raft::resources handle;
  const cuda_resources res = from_raft(handle);
  EXPECT_THROW((buffer<cuda, std::byte>(res, std::size_t{1} << 50)), memory_error);
}

}  // namespace mangrove::test

#endif
