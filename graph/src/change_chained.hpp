#pragma once

#include <cstddef>

#include "apply_to_array.hpp"
#include "apply_to_entry.hpp"
#include "apply_to_table.hpp"
#include "chain_updates.hpp"
#include "gather_chains.hpp"
#include "mangrove/core/phase.hpp"
#include "mangrove/core/strided_in_steps.hpp"
#include "vertex_making.hpp"

namespace mangrove::detail {

/// Body, of three phases: takes a small batch all the way from its updates to the changed graph. A tile chains a
/// stretch of updates; gathers, plans and lists the runs that these led to; and applies the runs, which it still has.
/// Does not make tables anew. @tparam Each updates of a lane
template <class Bits, int Each>
struct change_chained {
  static constexpr int phases = 3;
  static constexpr int blocks_at_once = 4;
  using gather_body = gather_chains<Bits, Each>;
  using sums_type = run_counts::totals;
  static constexpr int width = gather_body::width;
  static constexpr std::size_t stretch = gather_body::stretch;
  static constexpr int scratch_bytes = gather_body::scratch_bytes;

  chain_updates chain;
  gather_body gather;
  run_changes<Bits> changes;
  vertex_maker maker;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(phase<0>, const Tile& tile, std::size_t i, std::byte* scratch) const {
    if (gather.grant.grants(i)) return;
    const std::size_t share = stretch / directions();
    const std::size_t first = i * share;
    const std::size_t left = chain.updates.batch.size - first;
    const std::size_t count = left < share ? left : share;
    strided_in_steps<Each, chain_updates::link>(
        tile, count, [&](std::size_t k, auto& own) { chain.read(first + k, own); },
        [&](std::size_t k, auto& own) {
          chain.put(first + k, own);
          gather.ask_for(own);
        },
        [&](std::size_t k, auto& own) {
          chain.finish(first + k, own, [&](std::uint32_t direction, bool leads, std::uint32_t u, std::uint32_t v) {
            gather.note_lead(scratch, directions() * k + direction, leads, u, v);
          });
        });
    const std::size_t noted = directions() * count;
    tile.strided(stretch - noted, [&](std::size_t k) { gather.note_lead(scratch, noted + k, false, 0, 0); });
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(phase<1>, const Tile& tile, std::size_t i, std::byte* scratch) const {
    if (gather.grant.grants(i)) return gather.grant.grant(tile, scratch);
    gather.gather_noted(tile, i, scratch);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE sums_type operator()(phase<2>, const Tile& tile, std::size_t i, std::byte* scratch) const {
    sums_type made;
    if (gather.grant.grants(i) || !changes.status->ready(changes.terms)) return made;
    create(tile, i);
    gather.for_each_gathered(
        tile, scratch, [&](adjacency_kind kind, const vertex_run& run, const vertex_entry& old, std::uint32_t first) {
          made += apply(tile.solo(), kind, run, old, first);
        });
    return made;
  }

  MANGROVE_HOST_DEVICE void book(const sums_type& all) const { apply_to_entry<Bits>{{changes}}.book(all); }

 private:
  /// In how many directions an update is applied.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::size_t directions() const {
    return chain.updates.direction == edge_direction::directed ? 1 : 2;
  }

  /// Makes the tile's share of the vertices exist that come to be.
  template <class Tile>
  MANGROVE_HOST_DEVICE void create(const Tile& tile, std::size_t i) const {
    const std::size_t noted = changes.status->creating;
    if (noted == 0) return;
    if (chain.creating == nullptr) {
      const create_named create{maker, chain.updates.batch, chain.updates.loops};
      const std::size_t each = stretch / directions();
      return tile.strided(each, [&](std::size_t k) {
        if (i * each + k < chain.updates.batch.size) create(tile.solo(), i * each + k);
      });
    }
    const std::size_t share = (noted + gather.grant.tiles - 1) / gather.grant.tiles;
    std::uint32_t created = 0;
    tile.strided(share, [&](std::size_t k) {
      if (i * share + k < noted) created += maker.create(chain.creating[i * share + k]);
    });
    if (created != 0) count_up_by(&changes.status->vertices_created, created);
  }

  template <class Lane>
  MANGROVE_HOST_DEVICE sums_type apply(const Lane& lane, adjacency_kind kind, const vertex_run& run,
                                       const vertex_entry& old, std::uint32_t first) const {
    if (kind == adjacency_kind::array) return apply_to_array<Bits>{{changes}}.apply(lane, run, old, first).as_totals();
    if (kind == adjacency_kind::hash) return apply_to_table<Bits>{{changes}}.apply(lane, run, old, first).as_totals();
    return apply_to_entry<Bits>{{changes}}.apply(lane, run, old, first).as_totals();
  }
};

}  // namespace mangrove::detail
