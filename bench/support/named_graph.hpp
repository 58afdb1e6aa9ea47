#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "mangrove/core/error.hpp"
#include "mangrove/core/resources.hpp"
#include "mangrove/io/generate.hpp"

namespace mangrove::bench {

/// Both directions of every edge of a generated graph, as dense 32-bit ids, in a shuffled order.
struct directed_edges {
  std::string name;
  std::uint32_t vertices = 0;  ///< ids are below
  std::vector<std::uint32_t> sources;
  std::vector<std::uint32_t> targets;

  [[nodiscard]] std::size_t size() const noexcept { return sources.size(); }
};

inline edge_list generate_named(const cpu_resources& res, const std::string& kind, int scale) {
  if (kind == "rmat") return io::without_repeats(res, io::generate(res, io::rmat_options{.scale = scale}));
  if (kind == "rgg") return io::generate(res, io::rgg_options{.scale = scale, .degree = 13.1});
  if (kind == "road") return io::generate(res, io::road_options{.scale = scale});
  if (kind == "mesh") return io::generate(res, io::mesh_options{.scale = scale});
  throw usage_error("unknown graph '" + kind + "': name one as rmat20, rgg20, mesh20 or road23");
}

/// @param name a generator and the logarithm of the number of vertices, such as rmat20, rgg20, mesh20, road23
inline directed_edges named_graph(const cpu_resources& res, const std::string& name) {
  const std::size_t digits = std::min(name.size(), name.find_first_of("0123456789"));
  const int scale = digits == name.size() ? 0 : std::stoi(name.substr(digits));
  const edge_list edges = generate_named(res, name.substr(0, digits), scale);
  directed_edges made;
  made.name = name;
  made.vertices = (std::uint32_t{1} << scale) + 1;  // ids start at 1
  std::vector<std::uint64_t> both;
  both.reserve(2 * edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    both.push_back(edges.sources[i] << 32 | edges.targets[i]);
    both.push_back(edges.targets[i] << 32 | edges.sources[i]);
  }
  std::shuffle(both.begin(), both.end(), std::mt19937_64(42));
  for (const std::uint64_t edge : both) {
    made.sources.push_back(static_cast<std::uint32_t>(edge >> 32));
    made.targets.push_back(static_cast<std::uint32_t>(edge));
  }
  return made;
}

/// `count` directed edges between vertices drawn at random. Repeats are possible, as in any batch.
inline directed_edges random_batch(std::uint32_t vertices, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  directed_edges batch;
  for (std::size_t i = 0; i < count; ++i) {
    batch.sources.push_back(static_cast<std::uint32_t>(random() % vertices));
    batch.targets.push_back(static_cast<std::uint32_t>(random() % vertices));
  }
  return batch;
}

}  // namespace mangrove::bench
