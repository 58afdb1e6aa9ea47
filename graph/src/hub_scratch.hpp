#pragma once

#include "hub_apply.hpp"
#include "scratch_insert.hpp"
#include "scratch_table.hpp"

namespace mangrove::detail {

/// Body: applies all updates of a hub to its table in scratch, which is read or made anew there, and written whole. As
/// `change_hub_edges` and `insert_hub_edges` otherwise, but repeats are found in the table itself.
/// @tparam Slabs that scratch has room for
template <class Bits, std::uint32_t Slabs>
struct change_hub_table : hub_changes<Bits> {
  using base = hub_changes<Bits>;
  using base::graph, base::list, base::targets;
  using typename base::table;
  static constexpr bool uneven = true;  ///< tables and hubs are of all sizes
  static constexpr int blocks_at_once = Slabs > 32 ? 4 : 16;

  const std::uint32_t* numbers;  ///< of the hubs
  indexed_updates batch;

  using image_type = scratch_table<Bits, sizeof(table_marks) / sizeof(std::uint32_t)>;
  static constexpr int scratch_bytes = image_type::bytes_for(Slabs);

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i, std::byte* scratch) const {
    if (!base::goes()) return;
    hub& counted = list.hubs[numbers[i]];
    const hub of = counted;  // which is not read again each time that something is written
    const table to = graph.table_of(base::entry_of(of));
    const image_type image(scratch, Slabs, to.buckets());
    const table& in = image.get();
    ask_for_table(tile, of, to);
    fetch_updates(tile, of);
    begin(tile, image, counted, to);
    tile.sync();
    auto* const noted = reinterpret_cast<table_marks*>(image.notes());
    hub_counts made;
    if (batch.kinds != nullptr || batch.kind == update_kind::erase) erase(tile, of, counted, in, noted, made);
    if (batch.kinds != nullptr || batch.kind == update_kind::insert) insert(tile, of, counted, in, noted, made);
    if (!of.is_decided()) count_inserts(tile, in.buckets(), noted, made);
    image.write(tile, to);
    made.book(tile, counted);
    tile.sync();
    if (tile.lane() == 0) {
      const auto left = base::publisher.publish(counted, {});  // of a small table: few pieces
      left.list(tile.solo(), base::publisher.pieces, numbers[i]);
    }
  }

 private:
  /// @param of in memory
  template <class Tile>
  MANGROVE_HOST_DEVICE void begin(const Tile& tile, const image_type& image, const hub& of, const table& to) const {
    if (of.plan != vertex_run::in_place) {
      image.clear(tile);
      tile.sync();
      image.fill(tile, graph, of.old);
      tile.sync();
    } else {
      image.read(tile, to);
    }
    image.clear_notes(tile);
  }

  /// Asks for the hub's table. @param to where it will be
  template <class Tile>
  MANGROVE_HOST_DEVICE void ask_for_table(const Tile& tile, const hub& of, const table& to) const {
    if (of.plan == vertex_run::in_place) return image_type::ask_for(tile, to);
    if (base::layout::kind(of.old) == adjacency_kind::hash) image_type::ask_for(tile, graph.table_of(of.old));
  }

  /// Asks for the updates, a cache line a lane, while the table is read.
  template <class Tile>
  MANGROVE_HOST_DEVICE void fetch_updates(const Tile& tile, const hub& of) const {
    constexpr std::uint32_t line = 128 / sizeof(std::uint32_t);
    tile.strided_briefly((of.count + line - 1) / line,
                         [&](std::size_t k) { prefetch_early(targets + of.first + k * line); });
  }

  /// Calls `f(update)` for all updates of the hub, the lanes sharing them.
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void for_all(const Tile& tile, const hub& of, F f) const {
    tile.strided_briefly(of.count, [&](std::size_t k) {
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
  MANGROVE_HOST_DEVICE void erase(const Tile& tile, const hub& of, hub& counted, const table& in, table_marks* noted,
                                  hub_counts& made) const {
    const auto lane = tile.solo();
    for_all(tile, of, [&](const typename base::update& one) {
      if (!may(of, one.at, edge_outcome::erase)) return;
      const auto where = in.template find<access::plain>(lane, one.target);
      if (!where) return;
      table_marks::mark(&noted[where.bucket].named, where.slot);
      if (one.target == of.vertex) counted.loop = edge_outcome::erase;
    });
    tile.sync();
    tile.strided_briefly(in.buckets(), [&](std::size_t k) {
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

  /// Whether an update may insert an edge, or overwrite its weight.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool may_insert(const hub& of, std::uint32_t at) const {
    if (!of.is_decided()) return !knows_repeats(of) || list.outcomes[at] != edge_outcome::nothing;
    return may(of, at, edge_outcome::insert) || (!is_none<Bits> && may(of, at, edge_outcome::overwrite));
  }

  /// Whether no two updates that may insert an edge name the same.
  [[nodiscard]] MANGROVE_HOST_DEVICE static bool knows_repeats(const hub& of) {
    return of.is_decided() || of.distinct != 0;
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void insert(const Tile& tile, const hub& of, hub& counted, const table& in, table_marks* noted,
                                   hub_counts& made) const {
    bool names_loop = false;
    if constexpr (Tile::simd) {
      names_loop = insert_one_by_one(tile, of, in, noted, made);
    } else {
      names_loop = insert_in_rounds(tile, of, in, noted, made);
    }
    tile.sync();
    if (names_loop && !of.is_decided()) {
      const auto where = in.template find<access::plain>(tile.solo(), of.vertex);
      counted.loop = noted[where.bucket].inserted(where.slot);
    }
  }

  /// @return whether this lane inserted the self loop, or found it
  template <class Tile>
  MANGROVE_HOST_DEVICE bool insert_one_by_one(const Tile& tile, const hub& of, const table& in, table_marks* noted,
                                              hub_counts& made) const {
    bool names_loop = false;
    for_all(tile, of, [&](const typename base::update& one) {
      if (!may_insert(of, one.at)) return;
      const auto where = in.find_or_place(tile.solo(), one.target);
      table_marks& bucket = noted[where.at.bucket];
      table_marks::mark(where.present ? &bucket.named : &bucket.fresh, where.at.slot);
      base::set_weight(in, where.at, one.at);
      if (where.at.reused_tombstone) --made.tombstones;
      names_loop = names_loop || one.target == of.vertex;
    });
    return names_loop;
  }

  /// @return whether this lane inserted the self loop, or found it
  template <class Tile>
  MANGROVE_HOST_DEVICE bool insert_in_rounds(const Tile& tile, const hub& of, const table& in, table_marks* noted,
                                             hub_counts& made) const {
    const bool repeats = !knows_repeats(of);
    bool names_loop = false;
    for (std::uint32_t first = 0; first < of.count; first += Tile::lanes) {
      const std::uint32_t k = first + static_cast<std::uint32_t>(tile.lane());
      const std::uint32_t at = of.first + k;
      const std::uint32_t target = k < of.count ? base::target(at) : 0;
      scratch_insert<Bits> own(in, noted, target, k < of.count && may_insert(of, at));
      if (repeats) own.leave_to_first(tile);
      own.find_slot();
      tile.sync();
      own.put();
      if (own.acts()) base::set_weight(in, own.at(), at);
      tile.sync();
      if (repeats) own.take_repeat_back(tile, made);
      own.note(made);
      names_loop = names_loop || (own.acts() && target == of.vertex);
    }
    return names_loop;
  }
};

}  // namespace mangrove::detail
