#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "extent_bounds.hpp"
#include "gathered_runs.hpp"
#include "mangrove/core/prefetch.hpp"
#include "stretch_demand.hpp"
#include "stretch_runs.hpp"

namespace mangrove::detail {

/// Body: gathers the runs that begin in a stretch of sorted keys, by one lane: `gather_sorted` for the CPU, where a
/// thread has room for many runs, writes them where their keys are, and fetches ahead what sorting them out reads.
template <class Bits>
struct gather_stretch : stretch_runs<Bits> {
  using base = stretch_runs<Bits>;
  using base::graph, base::growing, base::policy, base::sorted, base::status, base::stretch, base::updates;
  using typename base::layout;

  gathered_runs gathered;

  template <class Tile>
  void operator()(const Tile&, std::size_t i) const {
    const gather_stretch own = *this;  // which nothing that is written can change, so that it stays in registers
    for (std::size_t at = i * stretch; at < i * stretch + ahead; ++at) own.fetch(at);
    if (updates.batch.kinds != nullptr) return own.template gather<update_mix::any>(i * stretch);
    if (updates.batch.kind == update_kind::insert) return own.template gather<update_mix::inserts>(i * stretch);
    own.template gather<update_mix::erases>(i * stretch);
  }

 private:
  static constexpr std::size_t ahead = 48;

  /// Of which kinds a batch's updates are.
  enum class update_mix { inserts, erases, any };

  /// Runs by where they go.
  struct sorted_out {
    vertex_run runs[base::destinations][stretch];
    std::uint32_t sizes[base::destinations] = {};

    void put(std::uint32_t to, const vertex_run& run) { runs[to][sizes[to]++] = run; }
  };

  template <update_mix Mix>
  void gather(std::size_t first) const {
    const extent_bounds<Bits> bounds(policy);
    sorted_out out;
    stretch_demand demand;
    base::for_each_run(first, [&](const vertex_run& run) {
      fetch(run.first + ahead);
      out.put(destination_of<Mix>(run, graph.entries[run.vertex], bounds, demand), run);
    });
    plan_arrays<Mix>(bounds, out, demand);
    write(first, out);
  }

  template <update_mix Mix>
  [[nodiscard]] std::uint32_t inserts_of(const vertex_run& run) const {
    if (Mix == update_mix::any) return base::inserts_of(run);
    return Mix == update_mix::inserts ? run.count : 0;
  }

  /// `sort` without branches on what a vertex has, which nothing predicts, but whether that is a table.
  template <update_mix Mix>
  [[nodiscard]] std::uint32_t destination_of(const vertex_run& run, const vertex_entry& old,
                                             const extent_bounds<Bits>& bounds, stretch_demand& demand) const {
    const std::uint32_t inserts = inserts_of<Mix>(run);
    const std::uint32_t erases = run.count - inserts;
    const std::uint32_t granules = bounds.granules_of(old);
    if (granules > granules_per_slab) {
      const bool stays = policy.fits_in_place(old, inserts, erases);
      if (stays && base::may_shrink(old, erases)) demand.give(size_class_of(old.granules()));
      return stays ? static_cast<std::uint32_t>(layout::kind_of_extent(old)) : base::to_growing;
    }
    const bool stays = bounds.suit(granules, old.degree + inserts);
    if (Mix != update_mix::inserts) demand.give_array_if(stays & base::may_shrink(old, erases), granules);
    return (extent_bounds<Bits>::kinds[granules] & all_if(stays)) | (base::to_growing & ~all_if(stays));
  }
  static std::uint32_t all_if(bool condition) { return -static_cast<std::uint32_t>(condition); }

  /// Plans the arrays that growing vertices move to, behind the runs of those that stay: whoever applies runs can
  /// predict which of the two comes then. Of the others a step of its own has to find out more.
  template <update_mix Mix>
  void plan_arrays(const extent_bounds<Bits>& bounds, sorted_out& out, stretch_demand& demand) const {
    constexpr auto arrays = static_cast<std::uint32_t>(adjacency_kind::array);
    const std::uint32_t first = out.sizes[arrays];
    const std::uint32_t count = std::exchange(out.sizes[base::to_growing], 0);
    for (std::uint32_t k = 0; k < count; ++k) {
      const vertex_run run = out.runs[base::to_growing][k];
      const vertex_entry& old = graph.entries[run.vertex];
      const std::uint32_t inserts = inserts_of<Mix>(run);
      const layout_choice next = bounds.other_array(old.degree + inserts);
      const auto planned = base::plan_array(run, old, inserts, run.count - inserts, next, demand);
      out.put(planned.to, planned.run);
    }
    demand.add_to(status->demand);
    for (std::uint32_t k = first; k < out.sizes[arrays]; ++k) {
      vertex_run& run = out.runs[arrays][k];
      run.plan += demand.first_of(run);
    }
  }

  /// Where a dropped key leads, does no harm.
  void fetch(std::size_t at) const {
    if (at < sorted.count) mangrove::prefetch(graph.entries + sorted.source(at));
  }

  void write(std::size_t first, const sorted_out& out) const {
    vertex_run* to = gathered.runs + first;
    for (std::uint32_t kind = 0; kind < run_kinds; ++kind) {
      to = std::copy_n(out.runs[kind], out.sizes[kind], to);
      gathered.of_stretch[first / stretch][kind] = static_cast<std::uint16_t>(out.sizes[kind]);
    }
    const std::uint32_t grow = out.sizes[base::to_growing];
    if (grow != 0) std::copy_n(out.runs[base::to_growing], grow, growing + count_up_by(&status->growing.value, grow));
  }
};

}  // namespace mangrove::detail
