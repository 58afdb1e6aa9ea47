#pragma once

#include "apps/vertex_rows.hpp"
#include "mangrove/core/buffer.hpp"
#include "mangrove/core/transfer.hpp"

/// @file
/// The body of `read_vertices`, to be included behind `core/for_each.hpp` or `core/for_each.cuh`.

namespace mangrove::app {

struct write_vertex_row {
  graph_view<std::uint64_t, none> graph;
  std::uint64_t* ids;
  std::uint32_t* degrees;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const auto u = static_cast<vertex_index>(i);
    const bool exists = graph.exists(u);
    ids[i] = exists ? graph.id(u) : 0;
    degrees[i] = exists ? graph.degree(u) : vertex_rows::absent;
  }
};

template <backend B>
vertex_rows read_vertices(const resources<B>& res, const app_graph<B>& graph) {
  const std::size_t count = graph.index_count();
  buffer<B, std::uint64_t> ids(res, count);
  buffer<B, std::uint32_t> degrees(res, count);
  for_each_tile<1>(res, count, write_vertex_row{graph.view(), ids.data(), degrees.data()});
  return {to_host(res, ids.data(), count), to_host(res, degrees.data(), count)};
}

}  // namespace mangrove::app
