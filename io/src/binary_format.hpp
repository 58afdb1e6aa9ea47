#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

/// @file
/// The binary form, `.mgb`: this header, then the sources, the targets, and the weights if there are any, each a column
/// of `edge_count` 64-bit words (ids as unsigned integers, weights as IEEE 754 doubles), all in the byte order of the
/// machine that wrote it, which `byte_order` tells.

namespace mangrove::io::detail {

struct binary_header {
  static constexpr std::array<unsigned char, 8> expected_magic{0x89, 'M', 'G', 'B', '\r', '\n', 0x1a, '\n'};
  static constexpr std::uint32_t expected_byte_order = 0x01020304;
  static constexpr std::uint32_t current_version = 1;
  static constexpr std::uint64_t directed_flag = 1;
  static constexpr std::uint64_t weighted_flag = 2;

  std::array<unsigned char, 8> magic;
  std::uint32_t byte_order;
  std::uint32_t version;
  std::uint64_t flags;
  std::uint64_t edge_count;
  std::uint64_t vertex_count;
  std::array<std::uint64_t, 2> reserved;  ///< zero
  std::uint64_t checksum;                 ///< of the bytes before it
};
static_assert(sizeof(binary_header) == 64);

/// FNV-1a of all of the header but its checksum.
inline std::uint64_t header_checksum(const binary_header& header) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(&header);
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::size_t i = 0; i < offsetof(binary_header, checksum); ++i) hash = (hash ^ bytes[i]) * 0x100000001b3;
  return hash;
}

}  // namespace mangrove::io::detail
