#pragma once

#include "apply_to_table.hpp"
#include "mangrove/core/shared_items.hpp"

namespace mangrove::detail {

/// Body: applies runs to hash tables as `apply_to_table` does, but the lanes of a warp share the updates of all its
/// runs, one for each part: for batches with skew, where every lane would wait for the longest run. For CUDA.
///
/// What the lanes do at the same time is changes of different edges. Those that put edges into one sector of a table
/// take its free slots in order; for whom there is none left look again.
template <class Bits>
struct share_table_runs : apply_to_table<Bits> {
  using base = apply_to_table<Bits>;
  using base::graph, base::plans, base::pool, base::runs, base::targets;
  using typename base::table;
  static constexpr bool in_step = true;

  template <class Part>
  MANGROVE_HOST_DEVICE run_counts::totals operator()(const Part& part, std::size_t i, bool is_there) const {
    const auto& warp = part.whole();
    const std::uint32_t there = count_bits(warp.ballot(is_there)) / Part::lanes;
    const bool owns = static_cast<std::uint32_t>(warp.lane()) < there;
    owned own{};
    if (owns) own = load(i - part.number() + warp.lane());
    const shared_items shared(warp, own.run.count);
    run_counts made{};
    update next = update_of(warp, shared, 0, own);
    for (std::uint32_t round = 0; round < shared.all(); round += shared.in_round) {
      const update now = next;
      next = update_of(warp, shared, round + shared.in_round, own);  // under way meanwhile
      note(warp, now, change(warp, now), shared.lanes_with_own(round), made, own.entry);
    }
    if (!owns) return {};
    const bool moved = own.run.plan != vertex_run::in_place;
    const vertex_entry old = moved ? graph.entries[own.run.vertex] : own.entry;
    return base::settle(warp.solo(), graph.table_of(own.entry), own.run, old, own.entry, made).as_totals();
  }

 private:
  /// A lane's run.
  struct owned {
    vertex_run run;
    vertex_entry entry;  ///< of the table, with the degree from before the run
  };

  /// An update that a lane applies.
  struct update {
    bool is_there;
    bool is_loop;
    std::uint32_t at;
    std::uint32_t target;
    table in;
  };

  struct change_made {
    edge_outcome outcome = edge_outcome::nothing;
    bool left_tombstone = false;
    bool reused_tombstone = false;
  };

  [[nodiscard]] MANGROVE_HOST_DEVICE owned load(std::size_t i) const {
    const vertex_run run = load_whole(runs + i);
    return {run, run.plan != vertex_run::in_place ? plans[run.plan].moved(pool) : graph.entries[run.vertex]};
  }

  /// The update that this lane gets in a round, and asks for where it looks first.
  template <class Warp>
  [[nodiscard]] MANGROVE_HOST_DEVICE update update_of(const Warp& warp, const shared_items<Warp>& shared,
                                                      std::uint32_t round, const owned& own) const {
    if (round >= shared.all()) return {};
    const auto item = shared.mine(round);
    const std::uint32_t vertex = warp.broadcast(own.run.vertex, item.owner);
    const std::uint32_t at = warp.broadcast(own.run.first, item.owner) + item.k;
    vertex_entry entry{};
    entry.words[0] = warp.broadcast(own.entry.words[0], item.owner);
    entry.words[1] = warp.broadcast(own.entry.words[1], item.owner);
    if (!item.is_there) return {};
    const std::uint32_t target = targets[at];
    const update made{true, target == vertex, at, target, graph.table_of(entry)};
    prefetch_early(made.in.home_sector(target));
    return made;
  }

  /// Applies the lanes' updates: first those that erase, so that nobody searches beside them for a slot.
  template <class Warp>
  [[nodiscard]] MANGROVE_HOST_DEVICE change_made change(const Warp& warp, const update& one) const {
    const bool inserts = one.is_there && base::inserts(one.at);
    change_made made;
    if (one.is_there && !inserts) made = erase(warp.solo(), one);
    warp.sync();
    for (bool waits = inserts; warp.ballot(waits) != 0; warp.sync()) waits = !insert(warp, one, waits, made);
    return made;
  }

  template <class Lane>
  [[nodiscard]] MANGROVE_HOST_DEVICE change_made erase(const Lane& lane, const update& one) const {
    const auto where = one.in.find_or_free(lane, one.target);
    if (!where.present) return {};
    return {edge_outcome::erase, one.in.erase_at(where), false};
  }

  /// Inserts edges, or overwrites them. All lanes together. @param acts whether this one takes part
  /// @return whether it is done, or has nothing to do
  template <class Warp>
  [[nodiscard]] MANGROVE_HOST_DEVICE bool insert(const Warp& warp, const update& one, bool acts,
                                                 change_made& made) const {
    typename table::place where{};
    if (acts) where = one.in.find_or_free(warp.solo(), one.target);
    const bool is_new = acts && !where.present;
    const std::uint32_t before = warp.equals_before(sector_of(one.in, where.at), is_new);
    if (!acts) return true;
    const auto at = is_new ? table::nth_free(where, before) : where.at;
    if (!at) return false;
    if (is_new) one.in.keys(at.bucket)[at.slot] = one.target;
    if constexpr (!is_none<Bits>) one.in.values(at.bucket)[at.slot] = base::weight_of(one.at);
    made.outcome = is_new ? edge_outcome::insert : edge_outcome::overwrite;
    made.reused_tombstone = at.reused_tombstone;
    return true;
  }

  /// A number for the sector of a slot; few of the pool share one, and who takes them for the same only passes by
  /// slots.
  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint32_t sector_of(const table& in,
                                                                    const typename table::position& at) {
    if (!at) return 0;
    const auto sector =
        reinterpret_cast<std::uintptr_t>(in.keys(at.bucket) + table::sectors::first_slot(table::sectors::of(at.slot)));
    return static_cast<std::uint32_t>(sector / sizeof(std::uint32_t));
  }

  /// Tells lanes what came of their runs' updates. @param own lanes that had those of this lane's run
  template <class Warp>
  MANGROVE_HOST_DEVICE void note(const Warp& warp, const update& one, const change_made& what, std::uint32_t own,
                                 run_counts& made, vertex_entry& entry) const {
    unrolled<3>([&](int k) {
      const auto outcome = static_cast<edge_outcome>(k + 1);
      const std::uint32_t edges = warp.ballot(what.outcome == outcome) & own;
      const std::uint32_t loops = warp.ballot(what.outcome == outcome && one.is_loop) & own;
      made.add_all(outcome, count_bits(edges), loops != 0);
    });
    entry.words[2] += count_bits(warp.ballot(what.left_tombstone) & own);
    entry.words[2] -= count_bits(warp.ballot(what.reused_tombstone) & own);
  }
};

}  // namespace mangrove::detail
