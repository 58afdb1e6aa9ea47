#include <cstdio>
#include <mangrove/core/resources.hpp>

int main() { std::printf("%d CUDA devices\n", mangrove::cuda_device_count()); }
