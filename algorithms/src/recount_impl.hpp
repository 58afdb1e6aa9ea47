#pragma once

#include <algorithm>

#include "batch_edges.hpp"
#include "orient.hpp"
#include "recount.hpp"

/// @file
/// The definition of `recount`. Included after the backend's `for_each_tile`.

namespace mangrove::detail::triangles {

/// Body: marks the batch's edges of a kind, from one of their two ends.
struct mark_kind {
  batch_edges batch;
  edge_action kind;
  std::uint8_t* marks;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    marks[i] = batch.counts(i, kind);
  }
};

/// Body: marks the edges that are not in a sorted list.
struct mark_absent {
  const std::uint64_t* edges;
  const std::uint64_t* list;
  std::size_t list_size;
  std::uint8_t* marks;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    marks[i] = !holds(list, 0, list_size, edges[i]);
  }
};

/// Body: `to[i] = from[order[i]]`.
struct gather {
  const std::uint32_t* order;
  const std::uint64_t* from;
  std::uint64_t* to;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    to[i] = from[order[i]];
  }
};

/// Body: counts an edge at both of its ends.
struct count_degrees {
  const std::uint64_t* edges;
  std::uint32_t* degrees;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    fetch_add(degrees + source_of(edges[i]), 1U);
    fetch_add(degrees + target_of(edges[i]), 1U);
  }
};

/// The elements of `from` that `mark` (a body made of an array of marks) marks, in order.
template <backend B, class MakeMark>
buffer<B, std::uint64_t> filtered(const resources<B>& res, const std::uint64_t* from, std::size_t count,
                                  const MakeMark& make_mark) {
  buffer<B, std::uint8_t> marks(res, count);
  for_each_tile<1>(res, count, make_mark(marks.data()));
  buffer<B, std::uint32_t> order(res, count);
  const std::size_t kept = select(res, marks.data(), order.data(), count);
  buffer<B, std::uint64_t> to(res, kept);
  for_each_tile<1>(res, kept, gather{order.data(), from, to.data()});
  return to;
}

template <backend B>
buffer<B, std::uint64_t> edges_of_kind(const resources<B>& res, const graph_change<B>& change, edge_action kind) {
  const auto batch = view_of(change);
  return filtered<B>(res, batch.edges, batch.size, [&](std::uint8_t* marks) { return mark_kind{batch, kind, marks}; });
}

/// Both lists in one, sorted.
template <backend B>
buffer<B, std::uint64_t> merged(const resources<B>& res, const buffer<B, std::uint64_t>& a,
                                const buffer<B, std::uint64_t>& b) {
  buffer<B, std::uint64_t> both(res, a.size() + b.size());
  copy(res, both.data(), a.data(), a.size());
  copy(res, both.data() + a.size(), b.data(), b.size());
  sort(res, both.data(), both.size());
  return both;
}

template <backend B>
std::uint64_t count_edges(const resources<B>& res, std::uint32_t vertices, buffer<B, std::uint64_t> edges) {
  simple_graph<B> graph{vertices, std::move(edges), buffer<B, std::uint32_t>(res, vertices)};
  fill_bytes(res, graph.degrees.data(), 0, vertices);
  for_each_tile<1>(res, graph.edges.size(), count_degrees{graph.edges.data(), graph.degrees.data()});
  return count_oriented(res, orient_simple(res, std::move(graph), vertex_order::automatic));
}

template <backend B>
triangle_difference recount(const resources<B>& res, const csr_view<B>& rows, const graph_change<B>& change,
                            std::uint64_t triangles) {
  buffer<B, std::uint64_t> edges = simple_graph_of(res, rows).edges;
  const std::uint32_t last_source = source_of(read_back(res, change.edges.data() + (change.size() - 1)));
  const std::uint32_t vertices = std::max(rows.vertices, last_source + 1);
  triangle_difference difference;
  const auto erased = edges_of_kind(res, change, edge_action::erase);
  if (!erased.empty()) {
    edges = filtered<B>(res, edges.data(), edges.size(), [&](std::uint8_t* marks) {
      return mark_absent{edges.data(), erased.data(), erased.size(), marks};
    });
    difference.lost = triangles - count_edges(res, vertices, make_buffer<B>(res, edges.data(), edges.size()));
  }
  const auto inserted = edges_of_kind(res, change, edge_action::insert);
  if (!inserted.empty()) {
    difference.gained = count_edges(res, vertices, merged(res, edges, inserted)) - (triangles - difference.lost);
  }
  return difference;
}

}  // namespace mangrove::detail::triangles
