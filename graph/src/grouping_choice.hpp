#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "batch_job.hpp"
#include "batch_outlook.hpp"
#include "bin_grouping.hpp"
#include "mangrove/core/backend.hpp"

namespace mangrove::detail {

/// From how many directed updates on which way suits a backend. A parameter of the direct path, so that tests can send
/// the CPU the ways of CUDA, whose bodies are for tiles with scratch.
template <backend B>
struct grouping_rule {
  static constexpr bool by_blocks = !std::is_same_v<B, cpu>;  ///< tiles with scratch gather runs, not threads
  /// Where dealing updates out to bins begins to beat following chains.
  static constexpr std::size_t bins_from = by_blocks ? std::size_t{1} << 17 : ~std::size_t{0};
  /// Where sorting them by source does.
  static constexpr std::size_t sort_from = by_blocks ? std::size_t{1} << 19 : 256;
  /// The same where vertices are likely to have many.
  static constexpr std::size_t sort_skewed_from = std::min(sort_from, std::size_t{1} << 13);
  /// From where up to where each thread makes and sorts the keys of a range of sources. Below, going over all updates
  /// takes what it saves; above, all threads share each pass of a sort.
  static constexpr std::size_t ranges_from = by_blocks ? ~std::size_t{0} : std::size_t{1} << 12;
  static constexpr std::size_t ranges_to = std::size_t{1} << 16;
  /// Where dealing them out to bins with room for hubs does.
  static constexpr std::size_t full_bins_from = by_blocks ? std::size_t{1} << 15 : ~std::size_t{0};
  /// Up to where chains are followed by the launch that makes them, and that changes the graph.
  static constexpr std::size_t at_once_to = by_blocks ? std::size_t{1} << 18 : 0;
  /// Up to where a lane has one of their updates, if the device has as many lanes.
  static constexpr std::size_t singly_to = at_once_to;
};

/// Which way a batch is grouped by source, and what that leaves to others.
template <backend B, class Bits, class Rule>
class grouping_choice {
 public:
  /// The way for a batch. @param skew of the batches before
  static grouping choose(const batch_job<B, Bits>& job, batch_skew skew) {
    const std::size_t updates = job.updates.size();
    if constexpr (Rule::by_blocks) {
      const grouping way = skew == batch_skew::none ? grouping::bins : grouping::spread_bins;
      const bool any = skew == batch_skew::none || skew == batch_skew::ranges;
      if (any && updates >= Rule::bins_from && by_bin::format_for(job, way).suits) return way;
      const bool full = skew == batch_skew::hubs && updates >= Rule::full_bins_from;
      if (full && by_bin::full_format_for(job).suits) return grouping::full_bins;
    }
    const std::size_t from = skew >= batch_skew::hubs ? Rule::sort_skewed_from : Rule::sort_from;
    return updates >= from ? grouping::sort : grouping::chains;
  }

  /// The way for a batch for which another one was too narrow.
  static grouping choose_after(grouping failed, const batch_job<B, Bits>& job) {
    const bool chains = by_bins(failed) && failed != grouping::full_bins && job.updates.size() < Rule::sort_from;
    return chains ? grouping::chains : grouping::sort;
  }

  /// Whether grouping a batch in a way also plans all its runs and grants their extents.
  static constexpr bool plans(grouping way) { return Rule::by_blocks && way == grouping::chains; }

  /// Whether what grants extents may plan runs before that. Not beside hubs, whose planning goes on meanwhile.
  static constexpr bool may_plan_where_granted(grouping way) {
    return Rule::by_blocks && by_bins(way) && !finds_hubs(way);
  }

 private:
  using by_bin = bin_grouping<B, Bits>;
};

}  // namespace mangrove::detail
