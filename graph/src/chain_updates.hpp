#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/load_row.hpp"
#include "mangrove/core/prefetch.hpp"
#include "update_admission.hpp"

namespace mangrove::detail {

/// Which ends of updates that come to be are noted while those are chained.
enum class noted_ends {
  all,
  besides_sources  ///< whoever gathers the chains notes these
};

/// Body: chains update i, in both directions if it is undirected, to those of the same source.
struct chain_updates : update_admission {
  static constexpr int prefetch_stages = 1;

  std::uint32_t* heads;  ///< by vertex: the last update of its chain; `chain_end` without one
  std::uint32_t* next;   ///< by update: the update before it in its chain
  noted_ends notes;

  template <int Stage>
  void prefetch(std::size_t i) const {
    const std::uint32_t u = updates.batch.sources[i];
    if (u < index_count) mangrove::prefetch(heads + u);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    link own{};
    read(i, own);
    put(i, own);
    finish(i, own, [](std::uint32_t, bool, std::uint32_t, std::uint32_t) {});
  }

  /// An update on its way into its chains.
  struct link {
    std::uint32_t u;
    std::uint32_t v;
    std::uint32_t before[2];  ///< by direction: the update before it
    bool counts;
    ends missing;
  };

  /// The steps of chaining update i, each of which waits for what the one before has asked for.
  MANGROVE_HOST_DEVICE void read(std::size_t i, link& own) const {
    own.u = updates.batch.sources[i];
    own.v = updates.batch.targets[i];
  }

  MANGROVE_HOST_DEVICE void put(std::size_t i, link& own) const {
    own.counts = admit_edge(i, own.u, own.v);
    if (own.counts) own.missing = missing(i, own.u, own.v);
    const auto at = static_cast<std::uint32_t>(i);
    if (updates.direction == edge_direction::directed) {
      own.before[0] = chain_one(own.counts, own.u, at);
    } else {
      own.before[0] = chain_one(own.counts, own.u, 2 * at);
      own.before[1] = chain_one(own.counts && own.u != own.v, own.v, 2 * at + 1);
    }
  }

  /// @param f is called with 0 and 1 for update i's directions, whether the direction began a chain, its source and its
  /// target
  template <class F>
  MANGROVE_HOST_DEVICE void finish(std::size_t i, const link& own, F f) const {
    if (updates.direction == edge_direction::directed) {
      next[i] = own.before[0];
      f(0, own.before[0] == chain_end, own.u, own.v);
    } else {
      store_row(next + 2 * i, own.before);
      f(0, own.before[0] == chain_end, own.u, own.v);
      f(1, own.before[1] == chain_end, own.v, own.u);
    }
    note_missing(own.u, own.v, own.missing);
  }

 private:
  [[nodiscard]] MANGROVE_HOST_DEVICE ends missing(std::size_t i, std::uint32_t u, std::uint32_t v) const {
    return notes == noted_ends::all ? missing_ends(i, u, v) : missing_besides_sources(i, u, v);
  }

  /// @return the update before it
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t chain_one(bool counts, std::uint32_t source,
                                                             std::uint32_t at) const {
    return counts ? exchange(heads + source, at + 1) : not_chained;
  }
};

}  // namespace mangrove::detail
