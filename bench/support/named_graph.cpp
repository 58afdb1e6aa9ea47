#include "named_graph.hpp"

#include <algorithm>
#include <bit>

#include "mangrove/core/error.hpp"
#include "mangrove/core/for_each.hpp"
#include "mangrove/io/counter_random.hpp"
#include "mangrove/io/generate.hpp"

namespace mangrove::bench {
namespace {

/// What random numbers are for, so that no two uses share them.
enum stream : std::uint64_t { shuffle_stream = 100, source_stream, target_stream, hub_stream, vertex_stream };

edge_list generate_named(const cpu_resources& res, const std::string& kind, int scale) {
  if (kind == "rmat") return io::without_repeats(res, io::generate(res, io::rmat_options{.scale = scale}));
  if (kind == "rgg") return io::generate(res, io::rgg_options{.scale = scale, .degree = 13.1});
  if (kind == "road") return io::generate(res, io::road_options{.scale = scale});
  if (kind == "mesh") return io::generate(res, io::mesh_options{.scale = scale});
  throw usage_error("unknown graph '" + kind + "': name one as rmat20, rgg20, mesh20 or road23");
}

directed_edges empty_like(const directed_edges& edges) {
  directed_edges made;
  made.name = edges.name;
  made.vertices = edges.vertices;
  return made;
}

template <class Keep>
directed_edges filtered(const directed_edges& edges, const Keep& keep) {
  directed_edges made = empty_like(edges);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (!keep(edges.sources[i], edges.targets[i])) continue;
    made.sources.push_back(edges.sources[i]);
    made.targets.push_back(edges.targets[i]);
  }
  return made;
}

directed_edges room_for(std::uint32_t vertices, std::size_t count) {
  directed_edges made;
  made.vertices = vertices;
  made.sources.resize(count);
  made.targets.resize(count);
  return made;
}

}  // namespace

directed_edges named_graph(const cpu_resources& res, const std::string& name) {
  const std::size_t digits = std::min(name.size(), name.find_first_of("0123456789"));
  const int scale = digits == name.size() ? 0 : std::stoi(name.substr(digits));
  const edge_list edges = generate_named(res, name.substr(0, digits), scale);
  const std::size_t size = edges.size();
  directed_edges made = room_for((std::uint32_t{1} << scale) + 1, 2 * size);
  made.name = name;
  const io::random_permutation place(42, shuffle_stream, 2 * size);
  for_each_tile<1>(res, size, [&](const auto&, std::size_t i) {
    const auto u = static_cast<std::uint32_t>(edges.sources[i]);
    const auto v = static_cast<std::uint32_t>(edges.targets[i]);
    const std::uint64_t there = place(2 * i);
    const std::uint64_t back = place(2 * i + 1);
    made.sources[there] = made.targets[back] = u;
    made.targets[there] = made.sources[back] = v;
  });
  return made;
}

directed_edges one_direction(const directed_edges& edges) {
  return filtered(edges, [](std::uint32_t u, std::uint32_t v) { return u < v; });
}

directed_edges random_batch(std::uint32_t vertices, std::size_t count, std::uint64_t seed) {
  directed_edges batch = room_for(vertices, count);
  const io::counter_random source(seed, source_stream);
  const io::counter_random target(seed, target_stream);
  for (std::size_t i = 0; i < count; ++i) {
    batch.sources[i] = static_cast<std::uint32_t>(source(i) % vertices);
    batch.targets[i] = static_cast<std::uint32_t>(target(i) % vertices);
  }
  return batch;
}

directed_edges power_law_batch(const cpu_resources& res, std::uint32_t vertices, std::size_t count,
                               std::uint64_t seed) {
  const int scale = std::max(1, static_cast<int>(std::bit_width(vertices - 1)) - 1);
  const std::size_t factor = std::max<std::size_t>(1, (count + (std::size_t{1} << scale) - 1) >> scale);
  const edge_list edges = io::generate(res, io::rmat_options{.scale = scale, .edge_factor = factor, .seed = seed});
  directed_edges batch = room_for(vertices, count);
  for (std::size_t i = 0; i < count; ++i) {
    batch.sources[i] = static_cast<std::uint32_t>(edges.sources[i]);
    batch.targets[i] = static_cast<std::uint32_t>(edges.targets[i]);
  }
  return batch;
}

directed_edges hub_batches(std::uint32_t vertices, std::size_t count, std::size_t hubs, std::uint64_t seed) {
  directed_edges batch = room_for(vertices, count * hubs);
  const std::vector<std::uint32_t> chosen = random_vertices(vertices, hubs, seed);
  for (std::size_t hub = 0; hub < hubs; ++hub) {
    const io::random_permutation target(seed, hub_stream + hub, std::max<std::uint64_t>(vertices, count));
    for (std::size_t i = 0; i < count; ++i) {
      batch.sources[hub * count + i] = chosen[hub];
      batch.targets[hub * count + i] = static_cast<std::uint32_t>(target(i));
    }
  }
  return batch;
}

std::vector<std::uint32_t> random_vertices(std::uint32_t vertices, std::size_t count, std::uint64_t seed) {
  const io::random_permutation order(seed, vertex_stream, vertices - 1);
  std::vector<std::uint32_t> chosen(count);
  for (std::size_t i = 0; i < count; ++i) chosen[i] = static_cast<std::uint32_t>(order(i)) + 1;
  return chosen;
}

directed_edges edges_at(const directed_edges& edges, const std::vector<std::uint32_t>& chosen) {
  std::vector<bool> is_chosen(edges.vertices);
  for (const std::uint32_t u : chosen) is_chosen[u] = true;
  return filtered(edges, [&](std::uint32_t u, std::uint32_t v) { return is_chosen[u] || is_chosen[v]; });
}

}  // namespace mangrove::bench
