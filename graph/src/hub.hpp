#pragma once

#include <cstdint>

#include "mangrove/graph/detail/vertex_entry.hpp"
#include "outcome.hpp"

namespace mangrove::detail {

/// What has to be found out about the updates of a hub before its table is planned. Whatever else they come to is found
/// out while they are applied.
enum class hub_foresight : std::uint32_t {
  nothing,  ///< its table has room for all of them, or is planned for all that may come to something
  sample,   ///< whether at least about half of them name different edges: then it is planned for all
  names,    ///< how many edges they name, for a table with room for as many
  outcomes  ///< what each of them comes to
};

/// How much is found out about hubs' updates at most before their tables are planned, if their number does not suffice.
enum class hub_study : std::uint8_t {
  none,     ///< no hub is expected for which it does not
  samples,  ///< of very many updates a sample is looked at
  all       ///< edges are counted
};

/// A vertex with more updates in a batch than a run holds.
struct alignas(32) hub {
  std::uint32_t vertex;
  std::uint32_t first;  ///< of its updates among the gathered ones
  std::uint32_t count;  ///< of its updates, repeats included
  std::uint32_t plan;   ///< number of the plan for its new table, `vertex_run::in_place` without one
  vertex_entry old;  ///< what the dictionary has until the batch is applied: who has read the hub need not wait for it
  hub_foresight foresight;
  /// Edges that its updates name; 0: not known. If it is known, so is which updates are the first on their edges: those
  /// whose outcome is not `nothing`.
  std::uint32_t distinct;
  std::uint8_t bounded;     ///< not 0: the table is planned for all these edges, although some may be there
  std::uint8_t in_scratch;  ///< not 0: one tile applies all its updates to its table in scratch
  std::uint8_t is_clear;    ///< not 0: the table in which its edges are named has been emptied
  edge_outcome loop;        ///< what the updates of its self loop come to
  /// Words in which the edges that a sample of its updates name are marked, if there is one; so many slots follow in
  /// which those of its neighbours are named that its updates name.
  std::uint32_t sample_words;
  std::uint32_t known_slots;
  std::uint32_t inserted;  ///< edges that come
  std::uint32_t overwritten;
  std::uint32_t erased;        ///< edges that go
  std::uint32_t tombstones;    ///< that come of it, modulo 2^32
  std::uint32_t pieces;        ///< of its table, if hardly anything is left of it
  std::uint64_t applied;       ///< a `hub_tally` of the last launch that applies its updates
  std::uint32_t left;          ///< neighbours that were found in the pieces of its table
  std::uint32_t positions[3];  ///< theirs: bucket * slots + slot

  [[nodiscard]] MANGROVE_HOST_DEVICE bool is_decided() const { return foresight == hub_foresight::outcomes; }
  /// Edges that its updates name at most.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t most_edges() const { return distinct != 0 ? distinct : count; }
};

/// Some neighbouring updates of a hub, for one tile.
struct alignas(8) hub_piece {
  std::uint32_t hub;
  std::uint32_t part;  ///< its updates `part * size_for(count of the hub)` and on

  static constexpr std::uint32_t least_updates = 32;
  static constexpr std::uint32_t most_updates = 512;

  /// How many updates a piece of a hub has, but the last one: of a huge hub more, since pieces have to be listed.
  MANGROVE_HOST_DEVICE static constexpr std::uint32_t size_for(std::uint32_t hub_updates) {
    const std::uint32_t large = hub_updates < std::uint32_t{1} << 20 ? most_updates / 4 : most_updates;
    return hub_updates < std::uint32_t{1} << 14 ? least_updates : large;
  }
  MANGROVE_HOST_DEVICE static constexpr std::uint32_t count_for(std::uint32_t hub_updates) {
    return (hub_updates + size_for(hub_updates) - 1) / size_for(hub_updates);
  }

  /// The piece of a hub's updates: `count` of them after `from` others.
  struct stretch {
    std::uint32_t from;
    std::uint32_t count;
  };
  [[nodiscard]] MANGROVE_HOST_DEVICE stretch of(std::uint32_t hub_updates) const {
    const std::uint32_t size = size_for(hub_updates);
    const std::uint32_t left = hub_updates - part * size;
    return {part * size, left < size ? left : size};
  }
};

}  // namespace mangrove::detail
