#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/bulk.hpp"
#include "mangrove/core/error.hpp"
#include "presence.hpp"

/// @file
/// Which indices have ids that are no vertices once a batch is applied. Needs the backend's `for_each_tile`.

namespace mangrove::detail {

/// Body: marks indices that had a vertex and have none any more.
struct mark_vanished {
  const std::uint32_t* before;
  std::uint32_t count_before;
  const std::uint32_t* after;
  std::uint8_t* flags;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const auto index = static_cast<std::uint32_t>(i);
    flags[i] = index < count_before && bit_of(before, index) && !bit_of(after, index);
  }
};

/// Body: marks indices handed out to ids that have not become vertices.
struct mark_unborn {
  const std::uint32_t* assigned;
  const std::uint32_t* after;
  std::uint8_t* flags;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    if (!bit_of(after, assigned[i])) flags[assigned[i]] = 1;
  }
};

/// Indices whose ids will be no vertices.
/// @param assigned indices that the batch has handed out
/// @param before the vertices without the batch, and how many indices the graph then has
/// @throws memory_error
template <backend B>
buffer<B, std::uint32_t> find_stale(const resources<B>& res, const buffer<B, std::uint32_t>& assigned,
                                    const vertex_presence<B>& before, std::uint32_t count_before,
                                    const typename vertex_presence<B>::plan& after) {
  if (after.next.empty()) return make_buffer<B>(res, assigned.data(), assigned.size());
  if (after.counts.erased == 0 && after.counts.inserted == assigned.size()) return {};
  buffer<B, std::uint8_t> flags(res, after.index_count);
  buffer<B, std::uint32_t> stale(res, after.index_count);
  const std::uint32_t* const next = after.next.data();
  for_each_tile<1>(res, after.index_count, mark_vanished{before.data(), count_before, next, flags.data()});
  for_each_tile<1>(res, assigned.size(), mark_unborn{assigned.data(), next, flags.data()});
  const std::size_t count = select(res, flags.data(), stale.data(), after.index_count);
  return make_buffer<B>(res, stale.data(), count);
}

/// The same for a batch that has been applied: where memory is refused, ids that are none of vertices keep theirs,
/// which does no harm.
template <backend B>
buffer<B, std::uint32_t> find_unborn(const resources<B>& res, const buffer<B, std::uint32_t>& assigned,
                                     const vertex_presence<B>& before, std::uint32_t count_before,
                                     const typename vertex_presence<B>::plan& after) {
  try {
    return find_stale<B>(res, assigned, before, count_before, after);
  } catch (const memory_error&) {
    return {};
  }
}

}  // namespace mangrove::detail
