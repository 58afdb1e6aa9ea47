#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "id_range.hpp"
#include "mangrove/core/bulk.hpp"
#include "mangrove/graph/graph_view.hpp"
#include "translated_updates.hpp"

/// @file
/// Ids that are indices into the dictionary themselves.

namespace mangrove::detail {

/// Body: an id is its index; ids that no vertex can have become `no_vertex`.
template <class Vertex>
struct narrow_ids {
  id_updates<Vertex> updates;
  std::uint32_t* sources;
  std::uint32_t* targets;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    sources[i] = narrow(updates.sources[i]);
    targets[i] = names_edge(updates.kind_of(i)) ? narrow(updates.targets[i]) : no_vertex;
  }

  MANGROVE_HOST_DEVICE static std::uint32_t narrow(Vertex id) {
    return id < max_vertices ? static_cast<std::uint32_t>(id) : no_vertex;
  }
};

[[noreturn]] inline void throw_unplaceable(std::uint64_t id) {
  throw usage_error("a vertex id of at least " + std::to_string(id) + " is too large to be a position (at most " +
                    std::to_string(max_vertices - 1) + "); make the graph with id_space::sparse");
}

/// Dense ids: the id is the index.
template <backend B, class Vertex>
translated_updates<B> translate_dense(const resources<B>& res, const id_updates<Vertex>& updates,
                                      std::uint32_t index_count) {
  translated_updates<B> made;
  buffer<B, id_range> range(res, 1);
  fill_bytes(res, range.data(), 0, 1);
  using body = find_id_range<Vertex>;
  for_each_task<32>(res, body::calls_for(updates.size), body{updates, range.data()});
  const auto [limit, loops] = read_back(res, range.data());
  if (limit > max_vertices) throw_unplaceable(limit - 1);
  made.index_count = std::max(index_count, static_cast<std::uint32_t>(limit));
  made.loops = loops != 0;
  if constexpr (sizeof(Vertex) == sizeof(std::uint32_t)) {
    made.updates = {updates.sources, updates.targets, updates.kinds, updates.kind, updates.size};
  } else {
    made.sources = buffer<B, std::uint32_t>(res, updates.size);
    made.targets = buffer<B, std::uint32_t>(res, updates.size);
    for_each_tile<1>(res, updates.size, narrow_ids<Vertex>{updates, made.sources.data(), made.targets.data()});
    made.updates = {made.sources.data(), made.targets.data(), updates.kinds, updates.kind, updates.size};
  }
  return made;
}

}  // namespace mangrove::detail
