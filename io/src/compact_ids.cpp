#include "compact_ids.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>

namespace mangrove::io::detail {

namespace {

/// Sorted ids of edges' ends outside 1 to `vertex_count`.
std::vector<std::uint64_t> ids_outside(const edge_list& edges) {
  std::vector<std::uint64_t> outside;
  for (const auto* column : {&edges.sources, &edges.targets}) {
    for (const std::uint64_t id : *column) {
      if (id - 1 >= edges.vertex_count) outside.push_back(id);
    }
  }
  tbb::parallel_sort(outside.begin(), outside.end());
  outside.erase(std::unique(outside.begin(), outside.end()), outside.end());
  return outside;
}

}  // namespace

edge_list with_compact_ids(const edge_list& edges) {
  const std::vector<std::uint64_t> outside = ids_outside(edges);
  const std::uint64_t inside = edges.vertex_count;
  const std::uint64_t shift = !outside.empty() && outside.front() == 0 ? 1 : 0;
  const auto rank = [&](std::uint64_t id) -> std::uint64_t {
    if (id == 0) return 1;
    if (id <= inside) return id + shift;
    const auto place = std::lower_bound(outside.begin(), outside.end(), id) - outside.begin();
    return inside + static_cast<std::uint64_t>(place) + 1;
  };
  edge_list compact = edges;
  compact.vertex_count = inside + outside.size();
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, edges.size()), [&](const tbb::blocked_range<std::size_t>& part) {
    for (std::size_t i = part.begin(); i != part.end(); ++i) {
      compact.sources[i] = rank(edges.sources[i]);
      compact.targets[i] = rank(edges.targets[i]);
    }
  });
  return compact;
}

}  // namespace mangrove::io::detail
