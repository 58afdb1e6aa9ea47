#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "mangrove/core/growable_array.hpp"
#include "mangrove/core/slab_pool.hpp"
#include "vertex_removal_filter.hpp"

/// @file
/// Removing vertices with all edges that touch them, for batches that do nothing else: adjacencies are filtered in
/// place, so nothing is listed and nothing is sorted.

namespace mangrove::detail {

/// Vertices to remove, in the backend's memory.
struct removal_batch {
  const std::uint32_t* vertices;  ///< indices; those that are no vertex's are passed over, repeats count once
  std::size_t count;
  edge_direction direction;
  self_loops loops;           ///< `drop` promises that the graph has none
  std::uint32_t index_count;  ///< of the graph; indices from there on are unknown
};

/// What a removal has done, exactly.
struct removal_result {
  std::uint64_t detached = 0;  ///< edges that went; an undirected one counts once
  std::uint64_t directed = 0;  ///< directed edges that went, as they were stored
  std::uint64_t vertices = 0;  ///< vertices that went
};

/// One removal: everything it needs is allocated before anything is changed.
template <backend B, class Bits>
class vertex_remover {
 public:
  vertex_remover(const resources<B>& res, const removal_batch& batch, growable_array<B, vertex_entry>& entries,
                 slab_pool<B>& pool, growable_array<B, std::uint32_t>& presence)
      : res_(res),
        batch_(batch),
        pool_(pool),
        present_(presence.data()),
        words_(std::min((batch.index_count + std::size_t{31}) / 32, presence.size())),
        graph_{entries.data(), pool.base(), static_cast<std::uint32_t>(std::min(entries.size(), 32 * words_))},
        zeroed_(res, totals_words + (filters_all() ? words_ : 2 * words_)),
        walk_(res, batch.index_count) {}

  removal_result run() {
    walk_.empty(res_);  // beside the other fill: between kernels it would hold up the second
    find_erased();
    if (!filters_all()) find_touched();
    // To count what will be given back takes longer than to make room for all.
    const auto granted = pool_.prepare(res_, pool_.all_given_back());
    filter(granted.ref());
    const removal_totals totals_of_all = read_back(res_, totals());
    pool_.commit(granted, std::to_array(totals_of_all.given));
    return result_of(totals_of_all.sum());
  }

 private:
  static constexpr int width = 8;  ///< lanes that filter an array or a table

  /// Whether every adjacency is read: always in a directed graph, where nobody knows who leads to an erased vertex, and
  /// when there are so many that hardly any would be left out.
  [[nodiscard]] bool filters_all() const {
    return batch_.direction == edge_direction::directed || batch_.count >= batch_.index_count / 32;
  }

  /// Indices that have a bit.
  [[nodiscard]] std::uint32_t known() const {
    return static_cast<std::uint32_t>(std::min<std::size_t>(batch_.index_count, words_ * 32));
  }

  template <class Body>
  static std::size_t stretches(std::size_t count) {
    return (count + Body::stretch - 1) / Body::stretch;
  }

  [[nodiscard]] affected_vertices affected() { return {erased(), touched()}; }

  static constexpr std::size_t totals_words = sizeof(removal_totals) / sizeof(std::uint32_t);

  [[nodiscard]] removal_totals* totals() { return reinterpret_cast<removal_totals*>(zeroed_.data()); }
  [[nodiscard]] std::uint32_t* erased() { return zeroed_.data() + totals_words; }
  /// Vertices whose adjacencies are filtered, unless all are.
  [[nodiscard]] std::uint32_t* touched() { return filters_all() ? nullptr : erased() + words_; }

  void find_erased() {
    fill_bytes(res_, zeroed_.data(), 0, zeroed_.size());
    for_each_task<32>(res_, stretches<mark_erased>(batch_.count),
                      mark_erased{batch_.vertices, batch_.count, known(), erased()});
    const bool loops_count_apart = batch_.direction == edge_direction::undirected && batch_.loops == self_loops::keep;
    if (!loops_count_apart) return;
    using body = count_loops<Bits>;
    for_each_task<32>(res_, stretches<body>(words_), body{graph_, erased(), words_, totals()});
  }

  void find_touched() {
    walk_.template run<width, 32>(res_, graph_, batch_.count, erased_in_batch{batch_.vertices, erased(), known()},
                                  mark_touched<Bits>{touched()});
  }

  void filter(pool_ref pool) {
    const removal_bodies<Bits> shared{graph_, erased(), pool, totals()};
    walk_.template run<width, width>(res_, graph_, graph_.entry_count, affected(), filter_adjacency<Bits>{{shared}});
    walk_.template for_each_split<32>(res_, settle_split<Bits>{shared});
    for_each_task<32>(res_, stretches<clear_presence>(words_), clear_presence{erased(), words_, present_, totals()});
  }

  [[nodiscard]] removal_result result_of(const removal_totals::share& totals) const {
    const std::uint64_t directed = totals.lost + totals.degrees;
    if (batch_.direction == edge_direction::directed) return {directed, directed, totals.vertices};
    const std::uint64_t within = (totals.degrees - totals.lost - totals.loops) / 2;  // edges with both ends erased
    return {totals.lost + within + totals.loops, directed, totals.vertices};
  }

  const resources<B>& res_;
  removal_batch batch_;
  slab_pool<B>& pool_;
  std::uint32_t* present_;
  std::size_t words_;  ///< of the bitmaps
  adjacency_view<Bits> graph_;
  buffer<B, std::uint32_t> zeroed_;  ///< what begins as zero: totals, then one bitmap by index or two
  balanced_walk<B> walk_;
};

/// Removes vertices with all edges that touch them, from the dictionary, the pool and the presence bits.
///
/// @return what was removed, exactly; the caller books it
/// @throws memory_error with everything as it was
/// Cost: a pass over the dictionary and one over all adjacencies; for few vertices of an undirected graph, over those
/// of their neighbours. The pool gets room to list all its extents as free.
template <backend B, class Bits>
removal_result remove_vertices(const resources<B>& res, const removal_batch& batch,
                               growable_array<B, vertex_entry>& entries, slab_pool<B>& pool,
                               growable_array<B, std::uint32_t>& presence) {
  return vertex_remover<B, Bits>(res, batch, entries, pool, presence).run();
}

}  // namespace mangrove::detail
