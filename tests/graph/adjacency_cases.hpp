#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>

#include "mangrove/graph/graph_options.hpp"
#include "support/sanitizers.hpp"

namespace mangrove::test {

/// A way to keep neighbours that graphs are tested with.
struct adjacency_case {
  adjacency_policy policy;
  std::uint32_t tree_from;
  const char* name;
};

/// One with which entries, arrays, tables and trees come up in one graph, and vertices pass from each to each; and all
/// policies.
inline constexpr adjacency_case all_adjacency_cases[] = {{adjacency_policy::by_degree, 70, "all kinds"},
                                                         {adjacency_policy::by_degree, no_degree, "by degree"},
                                                         {adjacency_policy::hash, no_degree, "hash"},
                                                         {adjacency_policy::tree, no_degree, "tree"}};

/// Those that graphs are tested with; the first two run every body between them.
inline constexpr std::span<const adjacency_case> adjacency_cases{
    all_adjacency_cases, sanitized ? std::size_t{2} : std::size(all_adjacency_cases)};

inline std::string adjacency_name(const graph_options& options) {
  for (const adjacency_case& one : all_adjacency_cases) {
    if (one.policy == options.adjacency && one.tree_from == options.tree_from) return one.name;
  }
  return "trees from " + std::to_string(options.tree_from);
}

}  // namespace mangrove::test
