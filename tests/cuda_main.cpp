#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdio>

// Machines without a GPU build these tests too. They cannot run there, which is no failure: CTest takes this for a skip.
constexpr int exit_skipped = 77;

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (!testing::GTEST_FLAG(list_tests) && (status != cudaSuccess || devices == 0)) {
    std::printf("[  SKIPPED ] all: no usable NVIDIA GPU (%s)\n", cudaGetErrorString(status));
    return exit_skipped;
  }
  return RUN_ALL_TESTS();
}
