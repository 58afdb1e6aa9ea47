#pragma once

#include <cstddef>
#include <cstdint>

#include "id_range.hpp"
#include "index_supply.hpp"
#include "mangrove/adjacency/slab_hash_ref.hpp"
#include "mangrove/graph/graph_view.hpp"
#include "recent_ids.hpp"

/// @file
/// Bodies that turn ids into indices by a map, and give indices to those that it does not hold.

namespace mangrove::detail {

/// Body: looks ids up, each by one lane on CUDA; marks those that are unknown and must come to be, but for most repeats
/// of one.
template <class Vertex>
struct look_up_ids {
  id_updates<Vertex> updates;
  slab_hash_ref<Vertex, std::uint32_t> indices;
  std::uint32_t* sources;
  std::uint32_t* targets;
  std::uint8_t* unknown;  ///< a flag for each end
  std::uint32_t* any;     ///< set if there are any
  recent_ids recent;

  static constexpr int prefetch_stages = 1;

  template <int Stage>
  void prefetch(std::size_t i) const {
    updates.prefetch_in(indices, i);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const update_kind kind = updates.kind_of(i);
    const std::uint32_t source = find(tile, updates.sources[i]);
    const std::uint32_t target = names_edge(kind) ? find(tile, updates.targets[i]) : no_vertex;
    if (tile.lane() != 0) return;
    sources[i] = source;
    targets[i] = target;
    const bool new_source = creates(kind) && source == no_vertex && recent.lets_through(updates.sources[i]);
    const bool new_target =
        kind == update_kind::insert && target == no_vertex && recent.lets_through(updates.targets[i]);
    unknown[2 * i] = new_source;
    unknown[2 * i + 1] = new_target;
    if ((new_source || new_target) && load_maybe_old(any) == 0) store_relaxed(any, 1U);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE std::uint32_t find(const Tile& tile, Vertex id) const {
    const auto found = indices.template find<access::plain>(tile, id);
    return found ? *found : no_vertex;
  }
};

/// Body: collects unknown ids, as 64-bit numbers to sort.
template <class Vertex>
struct gather_unknown {
  id_updates<Vertex> updates;
  const std::uint32_t* kept;  ///< ends
  std::uint64_t* ids;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    ids[i] = updates.id_of_end(kept[i]);
  }
};

/// Body: marks the first of every run of equal ids.
struct mark_first_id {
  const std::uint64_t* ids;
  std::uint8_t* flags;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    flags[i] = i == 0 || ids[i] != ids[i - 1];
  }
};

/// Body: gives a new id its index.
template <class Vertex>
struct assign_indices {
  const std::uint64_t* sorted_ids;
  const std::uint32_t* kept;  ///< which of them
  new_id_list<Vertex> made;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    made.put(static_cast<std::uint32_t>(i), sorted_ids[kept[i]]);
  }
};

/// Body: reads the ids of indices.
template <class Vertex>
struct gather_ids {
  const Vertex* id_by_index;
  const std::uint32_t* indices;
  Vertex* ids;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    ids[i] = id_by_index[indices[i]];
  }
};

}  // namespace mangrove::detail
