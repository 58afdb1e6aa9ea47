#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "key_stretch.hpp"
#include "mangrove/core/bulk.hpp"
#include "source_ranges.hpp"

namespace mangrove::detail {

/// Body: makes the keys of a range of sources and sorts them, by one thread of the CPU. A thread that finds keys which
/// another one has just written waits for each line of them; so every thread goes over all updates instead, which all
/// can read at once, and writes those keys alone that it sorts.
struct sort_ranges : key_stretch {
  const cpu_resources& alone;  ///< one thread
  const source_ranges& ranges;
  std::uint64_t* spare;          ///< room for as many keys
  std::atomic<bool>& uncertain;  ///< becomes true where an update needs a closer look; then keys are of no use

  void operator()(std::size_t k) const {
    const ids_named named = look_at(0, updates.batch.size);
    if (!is_plain(named)) return uncertain.store(true, std::memory_order_relaxed);
    note_missing_of(updates.batch.size * k / ranges.count, updates.batch.size * (k + 1) / ranges.count);
    const key_counts counts = counts_for(named);
    const std::size_t first = k == 0 ? 0 : keys_to(ranges.last[k - 1], counts);
    const std::size_t last = keys_to(ranges.last[k], counts);
    if (first != last) put(ranges.of(k), counts, keys + first, keys + last);
    if (k + 1 == ranges.count) std::fill(keys + last, keys + updates.size(), format.dropped);
    const auto first_bit = static_cast<int>(format.first_bit);
    const auto last_bit = first_bit + static_cast<int>(format.format.index_bits);
    sort(alone, keys + first, spare + first, last - first, first_bit, last_bit);
  }

 private:
  /// How many keys updates have.
  enum class key_counts {
    one,    ///< each: of its source
    others  ///< two, or none where a self loop is dropped
  };

  /// Whether it is plain which updates count. All threads find the same.
  [[nodiscard]] bool is_plain(const ids_named& named) const {
    return is_of_one_kind() && named.largest < known_count && (named.loops == 0 || !updates.names_new_vertices);
  }

  [[nodiscard]] key_counts counts_for(const ids_named& named) const {
    const bool all_count = named.loops == 0 || updates.loops == self_loops::keep;
    return updates.direction == edge_direction::directed && all_count ? key_counts::one : key_counts::others;
  }

  /// Counts the keys of sources up to one.
  [[nodiscard]] std::size_t keys_to(std::uint32_t source, key_counts counts) const {
    const indexed_updates batch = updates.batch;
    std::uint32_t count = 0;
    if (counts == key_counts::one) {
      for (std::size_t i = 0; i < batch.size; ++i) count += batch.sources[i] <= source ? 1 : 0;
      return count;
    }
    const bool both = updates.direction == edge_direction::undirected;
    const bool keeps = updates.loops == self_loops::keep;
    for (std::size_t i = 0; i < batch.size; ++i) {
      const std::uint32_t u = batch.sources[i];
      const std::uint32_t v = batch.targets[i];
      count += (u <= source) & (keeps | (u != v)) ? 1 : 0;
      count += both & (v <= source) & (u != v) ? 1 : 0;
    }
    return count;
  }

  /// Writes the keys of a range, in order, to [to, end). Without branches on what belongs there, which nothing would
  /// predict: what does not, is overwritten.
  void put(const source_range& range, key_counts counts, std::uint64_t* to, const std::uint64_t* end) const {
    const bool pairs = format.format.packed && format.format.sequence_bits == 0;
    if (pairs && counts == key_counts::one) return put_pairs(range, to, end);
    put_any(range, to, end);
  }

  /// Keys of source and target alone, as `run_keys::key` makes them.
  void put_pairs(source_range range, std::uint64_t* to, const std::uint64_t* end) const {
    const indexed_updates batch = updates.batch;
    const std::uint32_t shift = format.format.index_bits;
    for (std::size_t i = 0; to != end; ++i) {
      const std::uint32_t u = batch.sources[i];
      *to = std::uint64_t{u} << shift | batch.targets[i];
      to += range.has(u) ? 1 : 0;
    }
  }

  void put_any(source_range range, std::uint64_t* to, const std::uint64_t* end) const {
    const indexed_updates batch = updates.batch;
    const run_keys make = format;
    const bool both = updates.direction == edge_direction::undirected;
    const bool keeps = updates.loops == self_loops::keep;
    for (std::uint32_t i = 0; to != end; ++i) {
      const std::uint32_t u = batch.sources[i];
      const std::uint32_t v = batch.targets[i];
      *to = make.key(u, v, i, both ? 2 * i : i);
      to += range.has(u) & (keeps | (u != v)) ? 1 : 0;
      if (!both || to == end) continue;
      *to = make.key(v, u, i, 2 * i + 1);
      to += range.has(v) & (u != v) ? 1 : 0;
    }
  }
};

}  // namespace mangrove::detail
