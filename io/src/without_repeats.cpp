#include <algorithm>
#include <vector>

#include "mangrove/core/bulk.hpp"
#include "mangrove/core/error.hpp"
#include "mangrove/core/for_each.hpp"
#include "mangrove/io/generate.hpp"

namespace mangrove::io {

namespace {

constexpr std::uint64_t low_half = 0xffffffffU;

/// Both ends in one word, the smaller one in the upper half; a self loop keeps two equal halves.
std::uint64_t key_of(std::uint64_t u, std::uint64_t v) {
  return std::min(u, v) << 32 | std::max(u, v);
}

bool is_loop(std::uint64_t key) {
  return key >> 32 == (key & low_half);
}

}  // namespace

edge_list without_repeats(const cpu_resources& res, const edge_list& edges) {
  if (edges.directed || edges.weighted()) throw usage_error("repeats are dropped of undirected, unweighted edges only");
  for (const auto* ends : {&edges.sources, &edges.targets}) {
    if (max_value(res, ends->data(), ends->size()) > low_half) throw usage_error("an id does not fit into 32 bits");
  }
  std::vector<std::uint64_t> keys(edges.size());
  for_each_tile<1>(res, keys.size(),
                   [&](const auto&, std::size_t i) { keys[i] = key_of(edges.sources[i], edges.targets[i]); });
  sort(res, keys.data(), keys.size());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  keys.erase(std::remove_if(keys.begin(), keys.end(), is_loop), keys.end());

  edge_list result;
  result.vertex_count = edges.vertex_count;
  result.sources.resize(keys.size());
  result.targets.resize(keys.size());
  for_each_tile<1>(res, keys.size(), [&](const auto&, std::size_t i) {
    result.sources[i] = keys[i] >> 32;
    result.targets[i] = keys[i] & low_half;
  });
  return result;
}

}  // namespace mangrove::io
