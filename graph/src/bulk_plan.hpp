#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "bulk_rows.hpp"
#include "bulk_sort.hpp"

/// @file
/// Planning all rows of a bulk build.

namespace mangrove::detail {

/// Plans of all rows, and where they are listed.
template <backend B>
struct bulk_plan {
  buffer<B, bulk_row> listed;
  buffer<B, hub_chunk> chunks;
  bulk_lists lists{};
  bulk_totals totals{};

  [[nodiscard]] std::size_t rows_in(bulk_bin bin) const { return totals.rows[static_cast<std::uint32_t>(bin)]; }
  [[nodiscard]] const bulk_row* list_of(bulk_bin bin) const { return lists.of_bin[static_cast<std::uint32_t>(bin)]; }
};

/// Room for the plans of so many edges of so many vertices.
template <backend B, class Bits>
bulk_plan<B> make_bulk_plan(const resources<B>& res, const bulk_chooser<Bits>& chooser, std::size_t edges,
                            std::size_t vertices) {
  std::size_t offsets[bulk_bins + 1] = {};
  for (std::uint32_t bin = 0; bin < bulk_bins; ++bin) {
    offsets[bin + 1] = offsets[bin] + std::min(vertices, edges / chooser.fewest_edges(static_cast<bulk_bin>(bin)));
  }
  bulk_plan<B> plan;
  plan.listed = buffer<B, bulk_row>(res, offsets[bulk_bins]);
  plan.chunks =
      buffer<B, hub_chunk>(res, edges / bulk_limits::chunk_edges + edges / chooser.fewest_edges(bulk_bin::hub));
  for (std::uint32_t bin = 0; bin < bulk_bins; ++bin) plan.lists.of_bin[bin] = plan.listed.data() + offsets[bin];
  plan.lists.chunks = plan.chunks.data();
  return plan;
}

/// Plans all rows; those that their entries have room for go there. Waits for the counts.
/// @param entries the dictionary, zero, with memory for all vertices
/// @param meanwhile what the host does before it waits
template <backend B, class Bits>
bulk_plan<B> plan_bulk(const resources<B>& res, const bulk_edges<B, Bits>& made, const adjacency_rule& rule,
                       vertex_entry* entries, const pastime& meanwhile = {}) {
  using body = find_rows<Bits>;
  const bulk_chooser<Bits> chooser(rule);
  bulk_plan<B> plan = make_bulk_plan<B>(res, chooser, made.size(), made.none);
  buffer<B, spread_totals> totals(res, 1);
  fill_bytes(res, totals.data(), 0, 1);
  for_each_tile_with_scratch<body::width, body::scratch_bytes>(
      res, body::calls_for(made.size()), body{chooser, made.view(), entries, plan.lists, totals.data()});
  if (meanwhile) meanwhile();
  plan.totals = read_back(res, totals.data()).together();
  return plan;
}

}  // namespace mangrove::detail
