#pragma once

#include <type_traits>

#include "generate_checks.hpp"
#include "mangrove/core/buffer.hpp"
#include "mangrove/core/bulk.hpp"
#include "mangrove/core/transfer.hpp"
#include "mangrove/io/generate_grid.hpp"
#include "mangrove/io/generate_rgg.hpp"
#include "mangrove/io/generate_rmat.hpp"

/// @file
/// From a function that emits a vertex's or an edge's edges to an edge list, on either backend. To be included behind
/// `core/for_each.hpp` or `core/for_each.cuh`.

namespace mangrove::io::detail {

/// Counts what each item emits.
template <class Generator>
struct count_edges {
  Generator generator;
  std::uint64_t* counts;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    std::uint64_t count = 0;
    generator(i, [&](std::uint64_t, std::uint64_t) { ++count; });
    counts[i] = count;
  }
};

/// Writes what each item emits to its place.
template <class Generator>
struct write_edges {
  Generator generator;
  const std::uint64_t* offsets;  // null: one edge per item
  std::uint64_t* sources;
  std::uint64_t* targets;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    std::uint64_t at = offsets == nullptr ? i : offsets[i];
    generator(i, [&](std::uint64_t u, std::uint64_t v) {
      sources[at] = u;
      targets[at] = v;
      ++at;
    });
  }
};

/// Runs `write_edges` such that the columns of `list`, of their final size, are filled.
template <class Generator>
void fill_columns(const cpu_resources& res, const Generator& generator, const std::uint64_t* offsets, edge_list& list) {
  for_each_tile<1>(res, generator.items(),
                   write_edges<Generator>{generator, offsets, list.sources.data(), list.targets.data()});
}

template <class Generator>
void fill_columns(const cuda_resources& res, const Generator& generator, const std::uint64_t* offsets,
                  edge_list& list) {
  buffer<cuda, std::uint64_t> sources(res, list.size());
  buffer<cuda, std::uint64_t> targets(res, list.size());
  for_each_tile<1>(res, generator.items(), write_edges<Generator>{generator, offsets, sources.data(), targets.data()});
  copy(res, list.sources.data(), sources.data(), list.size());
  copy(res, list.targets.data(), targets.data(), list.size());
  res.synchronize();
}

inline void resize_columns(edge_list& list, std::uint64_t edges) {
  list.sources.resize(edges);
  list.targets.resize(edges);
}

template <backend B, class Generator>
edge_list generate_edges(const resources<B>& res, const Generator& generator, int scale) {
  edge_list list;
  list.vertex_count = std::uint64_t{1} << scale;
  const std::uint64_t items = generator.items();
  if constexpr (std::is_same_v<Generator, rmat_generator>) {
    resize_columns(list, items);
    fill_columns(res, generator, nullptr, list);
  } else {
    buffer<B, std::uint64_t> counts(res, items);
    buffer<B, std::uint64_t> offsets(res, items + 1);
    for_each_tile<1>(res, items, count_edges<Generator>{generator, counts.data()});
    exclusive_scan(res, counts.data(), offsets.data(), items);
    resize_columns(list, read_back(res, offsets.data() + items));
    fill_columns(res, generator, offsets.data(), list);
  }
  return list;
}

/// Writes the keys of all points.
struct write_keys {
  rgg_points points;
  std::uint64_t* keys;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    keys[i] = points.key(i);
  }
};

template <backend B>
edge_list generate_on(const resources<B>& res, const rmat_options& options) {
  check(options);
  return generate_edges<B>(res, rmat_generator(options), options.scale);
}

template <backend B>
edge_list generate_on(const resources<B>& res, const road_options& options) {
  check(options);
  return generate_edges<B>(res, road_generator(options), options.scale);
}

template <backend B>
edge_list generate_on(const resources<B>& res, const mesh_options& options) {
  check(options);
  return generate_edges<B>(res, mesh_generator(options), options.scale);
}

template <backend B>
edge_list generate_on(const resources<B>& res, const rgg_options& options) {
  const rgg_points points(options, checked_radius(options));
  buffer<B, std::uint64_t> keys(res, points.vertices());
  for_each_tile<1>(res, points.vertices(), write_keys{points, keys.data()});
  sort(res, keys.data(), keys.size());
  return generate_edges<B>(res, rgg_generator(points, keys.data()), options.scale);
}

}  // namespace mangrove::io::detail
