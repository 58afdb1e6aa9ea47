#pragma once

#include "gift_list.hpp"
#include "lane_neighbors.hpp"
#include "mangrove/core/counted_part.hpp"
#include "run_plan.hpp"

namespace mangrove::detail {

/// What a run came to: its directed edges by outcome, fewer than 256 of each, and the outcome of the self loop among
/// them.
class run_counts {
 public:
  MANGROVE_HOST_DEVICE void add(edge_outcome outcome, bool is_loop) {
    const auto kind = static_cast<std::uint32_t>(outcome);
    packed_ += 1U << (kind * bits);
    if (is_loop) packed_ |= kind;
  }
  /// @param edges that came to this outcome, and whether the self loop is one of them
  MANGROVE_HOST_DEVICE void add_all(edge_outcome outcome, std::uint32_t edges, bool has_loop) {
    const auto kind = static_cast<std::uint32_t>(outcome);
    packed_ += edges << (kind * bits);
    if (has_loop) packed_ |= kind;
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t of(edge_outcome outcome) const {
    return packed_ >> (static_cast<std::uint32_t>(outcome) * bits) & ((1U << bits) - 1);
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE edge_outcome loop() const {
    return static_cast<edge_outcome>(packed_ & ((1U << bits) - 1));
  }

  /// What the lanes of a tile that share a run have come to together.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE run_counts of_all(const Tile& tile) const {
    run_counts all;
    all.packed_ = tile.sum(packed_);
    return all;
  }

  /// What many runs come to: directed edges inserted, overwritten and erased, and the self loops among each.
  using totals = call_sums<6>;
  static_assert(static_cast<int>(edge_outcome::insert) == 1 && static_cast<int>(edge_outcome::erase) == 3);

  [[nodiscard]] MANGROVE_HOST_DEVICE totals as_totals() const {
    totals all;
    unrolled<3>([&](int k) {
      const auto outcome = static_cast<edge_outcome>(k + 1);
      all.of[k] = of(outcome);
      all.of[3 + k] = loop() == outcome ? 1 : 0;
    });
    return all;
  }

  /// The same, added to what others have come to. With a branch, for few runs have a self loop, so for the CPU.
  void add_to(totals& all) const {
    for (std::uint32_t k = 0; k < 3; ++k) all.of[k] += of(static_cast<edge_outcome>(k + 1));
    if (const auto outcome = static_cast<std::uint32_t>(loop()); outcome != 0) ++all.of[2 + outcome];
  }

 private:
  static constexpr std::uint32_t bits = 8;  ///< of a count; the lowest ones are the loop's

  std::uint32_t packed_ = 0;
};

/// What the bodies that apply runs have in common.
template <class Bits>
struct run_changes {
  using layout = entry_layout<Bits>;
  using table = typename layout::table;
  using array = neighbor_array<Bits>;
  static constexpr std::uint32_t unchanged = ~std::uint32_t{0};

  adjacency_view<Bits> graph;
  pool_ref pool;
  indexed_updates batch;
  const Bits* weights;             ///< the batch's; null for zeros
  const std::uint32_t* targets;    ///< of the runs' updates
  const std::uint32_t* sequences;  ///< null: all updates are of one kind, and there are no weights
  const run_plan* plans;
  batch_status* status;
  const vertex_run* runs;  ///< of the kind that the body applies
  change_terms terms;
  gift_list* gifts = nullptr;  ///< where a thread of the CPU keeps extents that it gives back later; null: none

  /// Where a vertex's neighbours will be, once those it has are there.
  [[nodiscard]] MANGROVE_HOST_DEVICE vertex_entry next_of(const vertex_run& run, const vertex_entry& old) const {
    if (run.plan == vertex_run::in_place) return old;
    if (!run.has_array_plan()) return plans[run.plan].moved(pool);
    const slab_index extent = pool.take(size_class_of(run.granules()), run.request());
    return vertex_entry::make(old.degree, adjacency_kind::array, extent, run.granules());
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE bool inserts(std::uint32_t at) const {
    const update_kind kind = sequences == nullptr ? batch.kind : batch.kind_of(sequences[at]);
    return kind == update_kind::insert;
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE Bits weight_of(std::uint32_t at) const {
    if constexpr (is_none<Bits>) {
      return {};
    } else {
      return weights == nullptr ? Bits{} : weights[sequences[at]];
    }
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE array in_extent(const vertex_entry& entry) const {
    return array::in_extent(graph.pool, entry.extent(), entry.granules());
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE static Bits value_of(const table& in, std::uint32_t bucket, std::uint32_t slot) {
    if constexpr (is_none<Bits>) {
      return {};
    } else {
      return in.values(bucket)[slot];
    }
  }

  MANGROVE_HOST_DEVICE void give(const vertex_entry& extent) const {
#if !defined(__CUDA_ARCH__)
    if (gifts != nullptr) return gifts->add(extent);
#endif
    const std::uint32_t size_class = size_class_of(extent.granules());
    pool.give(size_class, count_up(&status->returned[size_class]), extent.extent());
  }

  /// Brings the few neighbours that are left in a table into the entry, and gives the table back. By one lane.
  template <class Tile>
  MANGROVE_HOST_DEVICE void shrink_into_entry(const Tile& tile, const table& in, const vertex_entry& entry,
                                              vertex_entry* to) const {
    lane_neighbors<Bits, layout::inline_capacity> left;
    for (std::uint32_t bucket = 0; bucket < in.buckets(); ++bucket) {
      std::uint32_t mask = in.template match_keys<access::plain>(
          tile, bucket, [](std::uint32_t key) { return slot_mark<std::uint32_t>::storable(key); });
      for (; mask != 0; mask &= mask - 1) {
        const std::uint32_t slot = lowest_bit(mask);
        const std::uint32_t v = in.keys(bucket)[slot];
        left.put(v, value_of(in, bucket, slot));
      }
    }
    left.store(array::inlined(to));
    to->degree = left.size();
    give(entry);
  }

  /// Calls `f(k, v)` for the updates of a run, at places k of the batch's, on edges to v.
  /// @param first the first one's v: whoever knows the run asks for that together with the vertex's entry
  template <class F>
  MANGROVE_HOST_DEVICE void for_each_update(const vertex_run& run, std::uint32_t first, F f) const {
#if defined(__CUDA_ARCH__)
    std::uint32_t v = first;
    for (std::uint32_t k = run.first; k < run.first + run.count; ++k) {
      const std::uint32_t next = k + 1 < run.first + run.count ? targets[k + 1] : 0;  // under way meanwhile
      f(k, v);
      v = next;
    }
#else
    static_cast<void>(first);  // targets are in the cache, and erases by one thread took 4 % longer with it
    for (std::uint32_t k = run.first; k < run.first + run.count; ++k) f(k, targets[k]);
#endif
  }

  /// Applies the updates of a run to sorted neighbours. @return a number below which all are as they were, or
  /// `unchanged`
  template <class Neighbors>
  MANGROVE_HOST_DEVICE std::uint32_t change_all(Neighbors& neighbors, const vertex_run& run, std::uint32_t first,
                                                run_counts& made) const {
    std::uint32_t changed = unchanged;
    for_each_update(run, first, [&](std::uint32_t k, std::uint32_t v) {
      const std::uint32_t at = change(neighbors, run.vertex, v, k, made);
      changed = at < changed ? at : changed;
    });
    return changed;
  }

 private:
  template <class Neighbors>
  MANGROVE_HOST_DEVICE std::uint32_t change(Neighbors& neighbors, std::uint32_t u, std::uint32_t v, std::uint32_t at,
                                            run_counts& made) const {
    if (!inserts(at)) {
      const auto [from, was_there] = neighbors.erase(v);
      if (!was_there) return unchanged;
      made.add(edge_outcome::erase, u == v);
      return from;
    }
    const auto [from, was_there] = neighbors.put(v, weight_of(at));
    made.add(was_there ? edge_outcome::overwrite : edge_outcome::insert, u == v);
    return is_none<Bits> && was_there ? unchanged : from;
  }
};

}  // namespace mangrove::detail
