#pragma once

#include "hub_apply.hpp"
#include "scratch_table.hpp"

namespace mangrove::detail {

/// Body: applies all updates of a hub to its table in scratch, which is read or made anew there, and written whole. As
/// `change_hub_edges` and `insert_hub_edges` otherwise, but repeats are found in the table itself.
/// @tparam Slabs that scratch has room for
template <class Bits, std::uint32_t Slabs>
struct change_hub_table : hub_changes<Bits> {
  using base = hub_changes<Bits>;
  using base::graph, base::list, base::status, base::targets, base::terms;
  using typename base::table;
  static constexpr bool uneven = true;  ///< tables and hubs are of all sizes
  static constexpr int blocks_at_once = Slabs > 32 ? 4 : 16;

  const std::uint32_t* numbers;  ///< of the hubs
  indexed_updates batch;

  /// What is noted about the slots of a bucket, a bit each.
  struct marks {
    std::uint32_t named;  ///< its edge was there and was named by an update
    std::uint32_t fresh;  ///< its edge came with this batch
  };
  static_assert(sizeof(marks) == sizeof(typename scratch_table<Bits>::slab_note));
  static constexpr int scratch_bytes = scratch_table<Bits>::bytes_for(Slabs);

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i, std::byte* scratch) const {
    if (!status->ready(terms)) return;
    hub& counted = list.hubs[numbers[i]];
    const hub of = counted;  // which is not read again each time that something is written
    const table to = graph.table_of(base::entry_of(of));
    const scratch_table<Bits> image(scratch, Slabs, to.buckets());
    const table& in = image.get();
    fetch_updates(tile, of);
    begin(tile, image, of, to);
    tile.sync();
    image.clear_notes(tile);
    tile.sync();
    marks* const noted = reinterpret_cast<marks*>(image.notes());
    hub_counts made;
    if (batch.kinds != nullptr || batch.kind == update_kind::erase) erase(tile, of, counted, in, noted, made);
    if (batch.kinds != nullptr || batch.kind == update_kind::insert) insert(tile, of, counted, in, noted, made);
    if (!of.is_decided()) {
      count_named(tile, in, noted, made);
      if (counted.loop != edge_outcome::nothing && tile.lane() == 0) {
        counted.loop = loop_of(tile.solo(), counted.loop, of.vertex, in, noted);
      }
    }
    image.write(tile, to);
    made.book(tile, counted);
  }

 private:
  template <class Tile>
  MANGROVE_HOST_DEVICE void begin(const Tile& tile, const scratch_table<Bits>& image, const hub& of,
                                  const table& to) const {
    if (of.plan == vertex_run::in_place) return image.read(tile, to);
    image.clear(tile);
    tile.sync();
    image.fill(tile, graph, graph.entries[of.vertex]);
  }

  /// Asks for the updates, a cache line a lane, while the table is read.
  template <class Tile>
  MANGROVE_HOST_DEVICE void fetch_updates(const Tile& tile, const hub& of) const {
    constexpr std::uint32_t line = 128 / sizeof(std::uint32_t);
    tile.strided((of.count + line - 1) / line, [&](std::size_t k) { prefetch_early(targets + of.first + k * line); });
  }

  /// Calls `f(update)` for all updates of the hub, the lanes sharing them.
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void for_all(const Tile& tile, const hub& of, F f) const {
    tile.strided(of.count, [&](std::size_t k) {
      const auto at = of.first + static_cast<std::uint32_t>(k);
      f(typename base::update{at, base::target(at)});
    });
  }

  /// Whether an update may come to `outcome`; where that was not decided before, repeats do, too.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool may(const hub& of, std::uint32_t at, edge_outcome outcome) const {
    return !of.is_decided() || list.outcomes[at] == outcome;
  }

  /// Erases edges: their slots are marked, then emptied together, when it is known which sectors were full.
  template <class Tile>
  MANGROVE_HOST_DEVICE void erase(const Tile& tile, const hub& of, hub& counted, const table& in, marks* noted,
                                  hub_counts& made) const {
    const auto lane = tile.solo();
    for_all(tile, of, [&](const typename base::update& one) {
      if (!may(of, one.at, edge_outcome::erase)) return;
      const auto where = in.template find<access::plain>(lane, one.target);
      if (!where) return;
      mark(&noted[where.bucket].named, where.slot);
      if (one.target == of.vertex) counted.loop = edge_outcome::erase;
    });
    tile.sync();
    tile.strided(in.buckets(), [&](std::size_t k) {
      const auto bucket = static_cast<std::uint32_t>(k);
      const std::uint32_t named = noted[k].named;
      if (named == 0) return;
      noted[k].named = 0;
      const std::uint32_t roomy = table::sectors::spread(in.template match_keys<access::plain>(
          lane, bucket, [](std::uint32_t key) { return key == table::mark::empty; }));
      for (std::uint32_t rest = named; rest != 0; rest &= rest - 1) {
        const std::uint32_t slot = lowest_bit(rest);
        in.keys(bucket)[slot] = (roomy >> slot & 1) != 0 ? table::mark::empty : table::mark::tombstone;
      }
      made.tombstones += count_bits(named & ~roomy);
      if (!of.is_decided()) made.erased += count_bits(named);
    });
    tile.sync();
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void insert(const Tile& tile, const hub& of, hub& counted, const table& in, marks* noted,
                                   hub_counts& made) const {
    const auto lane = tile.solo();
    const bool overwrites = !is_none<Bits> || !of.is_decided();
    for_all(tile, of, [&](const typename base::update& one) {
      if (!may(of, one.at, edge_outcome::insert) && !(overwrites && may(of, one.at, edge_outcome::overwrite))) return;
      const auto where = in.template find_or_place<access::maybe_old>(lane, one.target);
      mark(where.present ? &noted[where.at.bucket].named : &noted[where.at.bucket].fresh, where.at.slot);
      base::set_weight(in, where.at, one.at);
      if (where.at.reused_tombstone) --made.tombstones;
      if (one.target == of.vertex && !of.is_decided()) counted.loop = edge_outcome::insert;
    });
    tile.sync();
  }

  MANGROVE_HOST_DEVICE static void mark(std::uint32_t* marks, std::uint32_t slot) {
    fetch_or(marks, std::uint32_t{1} << slot);
  }

  /// Counts the edges that inserts came to.
  template <class Tile>
  MANGROVE_HOST_DEVICE static void count_named(const Tile& tile, const table& in, const marks* noted,
                                               hub_counts& made) {
    tile.strided(in.buckets(), [&](std::size_t bucket) {
      made.inserted += count_bits(noted[bucket].fresh);
      made.overwritten += count_bits(noted[bucket].named & ~noted[bucket].fresh);
    });
  }

  /// What the updates of the hub's self loop, of which there are some that hit, came to.
  /// @param seen what was noted
  template <class Lane>
  [[nodiscard]] MANGROVE_HOST_DEVICE static edge_outcome loop_of(const Lane& lane, edge_outcome seen,
                                                                 std::uint32_t vertex, const table& in,
                                                                 const marks* noted) {
    if (seen == edge_outcome::erase) return seen;
    const auto where = in.template find<access::plain>(lane, vertex);
    const bool fresh = (noted[where.bucket].fresh >> where.slot & 1) != 0;
    return fresh ? edge_outcome::insert : edge_outcome::overwrite;
  }
};

}  // namespace mangrove::detail
