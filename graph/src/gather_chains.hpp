#pragma once

#include "batch_grant.hpp"
#include "block_runs.hpp"
#include "chain_updates.hpp"
#include "gather_chain.hpp"
#include "mangrove/core/prefetch.hpp"
#include "mangrove/core/strided_in_steps.hpp"
#include "new_vertices.hpp"
#include "run_places.hpp"

namespace mangrove::detail {

/// Body: as `gather_chain`, of the chains that a stretch of updates began, by a tile that has scratch: its lanes share
/// atomics.
/// @tparam Each updates of a lane, which it has under way together
template <class Bits, int Each>
struct gather_chains : chain_gatherer<block_runs<Bits, run_planning::here>> {
  using base = chain_gatherer<block_runs<Bits, run_planning::here>>;
  using base::graph, base::heads, base::next, base::nowhere, base::status, base::updates;
  static constexpr int width = 256;
  static constexpr int each = Each;
  static constexpr std::uint32_t stretch = each * width;

  update_admission admission;
  grant_beside grant;

  /// A chain that an update of the stretch began, and once it is gathered its run.
  struct led {
    typename base::chain chain;  ///< no steps: the update began none
    std::uint32_t vertex;
    std::uint32_t target;  ///< of the update that began it; once it is gathered, of its run's first update
    typename base::sorted_run gathered;
  };
  static_assert(sizeof(led) % 8 == 4, "lanes that read theirs would meet in banks");

  /// Places of runs in order of kind, some of which have none.
  static constexpr std::uint32_t places = stretch + base::tables_from - 1;
  static constexpr std::uint16_t no_run = 0xffff;

  /// A tile's memory.
  struct room {
    vertex_entry entries[stretch];  ///< those of the vertices, as they were
    led chains[stretch];
    std::uint16_t numbers[places];
    typename base::counters counted;
    new_vertices<stretch> created;  ///< by number of the chain
    std::uint32_t first;            ///< place of the tile's first update, where it has none of its own
    std::uint32_t kept;             ///< end of the places in order of kind
  };
  static constexpr int scratch_bytes = static_cast<int>((sizeof(room) + 127) / 128 * 128);
  static_assert(width == grant_batch::width && scratch_bytes >= grant_batch::scratch_bytes);
  static_assert(stretch <= run_places::most_of_tile);

  /// Calls, but for the one that grants.
  static std::size_t calls_for(std::size_t updates) { return (updates + stretch - 1) / stretch; }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i, std::byte* scratch) const {
    if (grant.grants(i)) return grant.grant(tile, scratch);
    tile.strided(stretch, [&](std::size_t k) {
      const std::size_t at = i * stretch + k;
      const bool leads = at < updates.size() && base::leads(at);
      const auto link = static_cast<std::uint32_t>(at);
      note_lead(scratch, k, leads, leads ? updates.source(link) : 0, leads ? updates.target(link) : 0);
    });
    gather_noted(tile, i, scratch);
  }

  /// Asks for the entries of an update's sources.
  MANGROVE_HOST_DEVICE void ask_for(const chain_updates::link& of) const {
    if (!of.counts) return;
    prefetch_early(graph.entries + of.u);
    if (updates.direction == edge_direction::undirected) prefetch_early(graph.entries + of.v);
  }

  /// Notes whether update k of the stretch began a chain, of a vertex; by any lane.
  MANGROVE_HOST_DEVICE void note_lead(std::byte* scratch, std::size_t k, bool leads, std::uint32_t vertex,
                                      std::uint32_t target) const {
    led& own = reinterpret_cast<room*>(scratch)->chains[k];
    own.chain.steps = leads ? 1 : 0;
    own.vertex = vertex;
    own.target = target;
  }

  /// The same for chains that have been noted.
  template <class Tile>
  MANGROVE_HOST_DEVICE void gather_noted(const Tile& tile, std::size_t i, std::byte* scratch) const {
    room& in = *reinterpret_cast<room*>(scratch);
    base::clear(tile, in.counted);
    in.created.clear(tile);
    tile.strided_briefly(places, [&](std::size_t k) { in.numbers[k] = no_run; });
    tile.sync();
    const auto begin = static_cast<std::uint32_t>(i * stretch);
    const std::uint32_t first = take_chains(tile, in, begin);
    gather_own(tile, in, begin, first);
    const std::uint32_t kept = base::list_all(
        tile, in.counted, stretch, [&](std::size_t k) { return in.chains[k].gathered.to; },
        [&](std::size_t k) { return in.chains[k].gathered.run; }, [&] { grant.counted(tile); },
        [&](std::size_t k, const vertex_run& run, std::uint32_t place) {
          in.chains[k].gathered.run.plan = run.plan;
          in.numbers[place] = static_cast<std::uint16_t>(k);
        });
    in.created.list(tile, admission, [&](std::uint32_t k) { return in.chains[k].vertex; });
    if (tile.lane() == 0) in.kept = kept;
  }

  /// Calls `f(kind, run, entry, target)`, with what the vertex had and the run's first target, for the runs that the
  /// tile has gathered, but not for those of tables that are made anew. Lanes are called together mostly for one kind
  /// of adjacency.
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void for_each_gathered(const Tile& tile, const std::byte* scratch, F f) const {
    const room& in = *reinterpret_cast<const room*>(scratch);
    tile.strided(in.kept, [&](std::size_t k) {
      if (in.numbers[k] == no_run) return;
      const led& own = in.chains[in.numbers[k]];
      const auto kind = static_cast<adjacency_kind>(base::list_of(own.gathered.to));
      f(kind, own.gathered.run, in.entries[in.numbers[k]], own.target);
    });
  }

 private:
  /// Unmakes the chains, and makes room for their updates. @param begin the first update that the tile chained
  /// @return the place of the lane's first one
  template <class Tile>
  MANGROVE_HOST_DEVICE std::uint32_t take_chains(const Tile& tile, room& in, std::uint32_t begin) const {
    struct taken {
      vertex_entry entry;
      std::uint32_t head;
    };
    std::uint32_t steps = 0;
    strided_in_steps<each, taken>(
        tile, stretch,
        [&](std::size_t k, taken& of) {
          const led& own = in.chains[k];
          if (own.chain.steps == 0) return;
          of = {graph.entries[own.vertex], heads[own.vertex]};
        },
        [&](std::size_t k, const taken& of) {
          led& own = in.chains[k];
          if (own.chain.steps == 0) return;
          own.chain = base::walk(of.head, static_cast<std::uint32_t>(begin + k + 1), own.target);
          heads[own.vertex] = chain_end;
          steps += own.chain.steps;
          in.entries[k] = of.entry;
        });
    const auto scanned = tile.scan(steps);
    const run_places places{updates.size(), stretch};
    if (places.has_own(scanned.all)) return places.own(begin) + scanned.before;
    if (tile.lane() == 0) in.first = places.shared() + fetch_add(&status->updates.value, scanned.all);
    tile.sync();
    return in.first + scanned.before;
  }

  /// Gathers each lane's chains. @param first the place of the lane's first update
  template <class Tile>
  MANGROVE_HOST_DEVICE void gather_own(const Tile& tile, room& in, std::uint32_t begin, std::uint32_t first) const {
    tile.strided(stretch, [&](std::size_t k) {
      led& own = in.chains[k];
      own.gathered.to = nowhere;
      if (own.chain.steps == 0) return;
      if (in.entries[k].degree == 0) in.created.note(admission, own.vertex, static_cast<std::uint32_t>(k));
      own.gathered = base::gather(own.vertex, own.chain, first, [&](const vertex_run& run, std::uint32_t target) {
        const vertex_entry entry = in.entries[k];
        own.target = target;
        fetch(entry, target);
        return base::sort_out_and_plan(tile.solo(), in.counted, run, entry, begin + static_cast<std::uint32_t>(k));
      });
      first += own.chain.steps;
    });
  }

  /// Asks for what planning or applying a run is going to read first.
  MANGROVE_HOST_DEVICE void fetch(const vertex_entry& entry, std::uint32_t target) const {
    using layout = entry_layout<Bits>;
    if (layout::kind(entry) == adjacency_kind::hash) return prefetch_early(graph.table_of(entry).home_sector(target));
    if (layout::kind(entry) != adjacency_kind::array) return;
    const std::byte* const extent = layout::extent(graph.pool, entry.extent());
    prefetch_early(extent);
    prefetch_early(extent + entry.granules() * granule_bytes - 1);
  }
};

}  // namespace mangrove::detail
