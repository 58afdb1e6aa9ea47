#pragma once

#include <concepts>

/// @file
/// The two backends, as tags. Containers and algorithms take one as a template argument; everything that differs
/// between them hangs off `resources`, the tiles and the bulk primitives.

#if defined(__CUDACC__)
/// Marks a function that both the host and the device may call; empty for compilers that know no CUDA.
#define MANGROVE_HOST_DEVICE __host__ __device__
#else
#define MANGROVE_HOST_DEVICE
#endif

namespace mangrove {

/// The multi-threaded host backend. Its memory is host memory.
struct cpu {
  static constexpr const char* name = "cpu";
};

/// The NVIDIA GPU backend. Its memory is device memory.
struct cuda {
  static constexpr const char* name = "cuda";
};

template <class T>
concept backend = std::same_as<T, cpu> || std::same_as<T, cuda>;

}  // namespace mangrove
