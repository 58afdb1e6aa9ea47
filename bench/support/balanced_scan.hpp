#pragma once

#include <cstdint>

#include "graph_fixture.hpp"
#include "mangrove/core/atomic.hpp"
#include "mangrove/core/transfer.hpp"
#include "mangrove/graph/for_each_edge.hpp"

/// @file
/// The graph's best scan: the same sums as `scan_graph`, with hubs shared by many tiles. Include the backend's
/// `for_each_tile` and `seconds_of` before.

namespace mangrove::bench {

/// Body: sums the neighbours of a chunk; the chunks of a hub add up.
struct scan_chunk {
  std::uint64_t* sums;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, const edge_chunk<none>& chunk) const {
    std::uint64_t sum = 0;
    chunk.for_each(tile, [&](std::uint32_t v) { sum += v; });
    sum = tile.sum(sum);
    if (tile.lane() != 0) return;
    if (chunk.whole()) {
      sums[chunk.source()] = sum;
    } else {
      fetch_add(&sums[chunk.source()], sum);
    }
  }
};

template <backend B>
void scan_balanced(benchmark::State& state, graph_fixture<B>& fixture) {
  const auto view = fixture.graph().view();
  buffer<B, std::uint64_t> sums(fixture.res(), fixture.graph().index_count());
  for (auto _ : state) {
    state.SetIterationTime(seconds_of(fixture.res(), [&] {
      fill_bytes(fixture.res(), sums.data(), 0, sums.size());
      for_each_chunk(fixture.res(), view, scan_chunk{sums.data()});
    }));
  }
  report_rate(state, fixture.graph().directed_edge_count(), "edges/s");
}

}  // namespace mangrove::bench
