#pragma once

#include <cstddef>
#include <cstdint>

#include "bulk_count.hpp"
#include "indexed_updates.hpp"
#include "mangrove/core/buffer.hpp"
#include "mangrove/core/growable_array.hpp"
#include "mangrove/graph/graph_options.hpp"
#include "presence_bodies.hpp"

/// @file
/// Which vertices exist: one bit an index, and what a batch makes of it.

namespace mangrove::detail {

/// The vertices that exist. A batch that changes them prepares a new set of bits, which commit copies into place.
template <backend B>
class vertex_presence {
 public:
  struct plan {
    buffer<B, std::uint32_t> next;  ///< empty when nothing changes
    presence_counts counts;
    std::uint32_t index_count = 0;
  };

  vertex_presence(const resources<B>& res, std::size_t max_vertices) : words_(res, (max_vertices + 31) / 32) {}

  [[nodiscard]] const std::uint32_t* data() const noexcept { return words_.data(); }
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

  /// For batches that change bits themselves: the words, and by how many bits.
  [[nodiscard]] growable_array<B, std::uint32_t>& words() noexcept { return words_; }
  void count_created(std::uint64_t created) noexcept { count_ += created; }
  void count_erased(std::uint64_t erased) noexcept { count_ -= erased; }
  [[nodiscard]] std::size_t bytes() const noexcept { return words_.bytes(); }

  /// Makes sure that as many indices can be kept. @throws memory_error
  void reserve(std::uint32_t index_count) { words_.reserve((index_count + std::size_t{31}) / 32); }

  /// @param vertex_updates whether the batch names vertices; otherwise a look may show that nothing changes
  /// @param last_of_range vertices 1 to this come to be before the batch; 0 for none
  plan prepare(const resources<B>& res, const indexed_updates& updates, const vertex_erasures& erasures,
               self_loops loops, std::uint32_t index_count, bool vertex_updates, std::uint32_t last_of_range) {
    plan made;
    made.index_count = index_count;
    reserve(index_count);
    if (!vertex_updates && last_of_range == 0 && !creates_any(res, updates, loops)) return made;
    made.next = begin_next(res, index_count, last_of_range);
    if (vertex_updates) {
      for_each_tile<1>(res, updates.size, clear_erased{updates, index_count, made.next.data()});
    }
    for_each_tile<1>(res, updates.size, set_created{updates, erasures, loops, made.next.data()});
    buffer<B, presence_counts> totals(res, 1);
    fill_bytes(res, totals.data(), 0, 1);
    compare(res, made.next, totals.data());
    made.counts = read_back(res, totals.data());
    return made;
  }

  /// For a batch of inserts into a graph without edges, whose sources the build finds. `reserve` is left to the caller.
  plan prepare_build(const resources<B>& res, std::uint32_t index_count, std::uint32_t last_of_range) {
    plan made;
    made.index_count = index_count;
    made.next = begin_next(res, index_count, last_of_range);
    return made;
  }

  /// Completes what `prepare_build` began, once sources have their bits, and queues the counting. Allocates nothing.
  /// @param naming what is known of the inserts
  void find_targets(const resources<B>& res, const indexed_updates& inserts, edge_naming naming,
                    const graph_options& options, plan& made, build_counts* counts) const {
    if (options.direction == edge_direction::directed) {
      const self_loops loops = naming == edge_naming::edges_only ? self_loops::keep : options.loops;
      for_each_task<32>(res, set_targets::calls_for(inserts.size),
                        set_targets{inserts, loops, counts, made.next.data()});
    }
    compare(res, made.next, &counts->presence);
  }

  /// Allocates nothing.
  void commit(const resources<B>& res, const plan& made) {
    words_.grow((made.index_count + std::size_t{31}) / 32);
    copy(res, words_.data(), made.next.data(), made.next.size());
    count_ += made.counts.inserted - made.counts.erased;
  }

 private:
  /// The bits as they are, with room for more vertices, and those of a range set.
  [[nodiscard]] buffer<B, std::uint32_t> begin_next(const resources<B>& res, std::uint32_t index_count,
                                                    std::uint32_t last_of_range) const {
    buffer<B, std::uint32_t> next(res, (index_count + std::size_t{31}) / 32);
    fill_bytes(res, next.data(), 0, next.size());
    copy(res, next.data(), words_.data(), words_.size());
    if (last_of_range != 0) {
      for_each_tile<1>(res, last_of_range / 32 + std::size_t{1}, set_range{last_of_range, next.data()});
    }
    return next;
  }

  [[nodiscard]] bool creates_any(const resources<B>& res, const indexed_updates& updates, self_loops loops) const {
    buffer<B, std::uint32_t> found(res, 1);
    fill_bytes(res, found.data(), 0, 1);
    const auto bits = static_cast<std::uint32_t>(words_.size() * 32);
    for_each_tile<1>(res, updates.size, find_created{updates, loops, words_.data(), bits, found.data()});
    return read_back(res, found.data()) != 0;
  }

  /// @param totals zero
  void compare(const resources<B>& res, const buffer<B, std::uint32_t>& next, presence_counts* totals) const {
    const std::size_t stretches = (next.size() + compare_presence::stretch - 1) / compare_presence::stretch;
    for_each_task<32>(res, stretches, compare_presence{words_.data(), words_.size(), next.data(), next.size(), totals});
  }

  growable_array<B, std::uint32_t> words_;
  std::uint64_t count_ = 0;
};

}  // namespace mangrove::detail
