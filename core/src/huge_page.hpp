#pragma once

#include <sys/mman.h>

#include <cstddef>

namespace mangrove::detail {

inline constexpr std::size_t huge_page = std::size_t{2} << 20;

/// Asks for huge pages from `address`, where a page begins, on. A wish: without them all works, slower.
inline void wish_for_huge_pages(void* address, std::size_t bytes) {
  madvise(address, bytes / huge_page * huge_page, MADV_HUGEPAGE);
}

}  // namespace mangrove::detail
