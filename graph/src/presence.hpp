#pragma once

#include <cstddef>
#include <cstdint>

#include "indexed_updates.hpp"
#include "mangrove/core/atomic.hpp"
#include "mangrove/core/bits.hpp"
#include "mangrove/core/buffer.hpp"
#include "mangrove/core/growable_array.hpp"
#include "mangrove/core/relaxed_atomic.hpp"
#include "mangrove/graph/graph_options.hpp"
#include "outcome.hpp"

/// @file
/// Which vertices exist: one bit an index, and what a batch makes of it.

namespace mangrove::detail {

MANGROVE_HOST_DEVICE inline bool bit_of(const std::uint32_t* words, std::uint32_t index) {
  return (load_relaxed(words + index / 32) >> (index % 32) & 1) != 0;
}

/// Calls `f(vertex)` for the vertices that update i brings into being.
template <class F>
MANGROVE_HOST_DEVICE void for_each_created(const indexed_updates& updates, const vertex_erasures& erasures,
                                           self_loops loops, std::size_t i, F f) {
  const update_kind kind = updates.kind_of(i);
  if (!creates(kind)) return;
  const auto sequence = static_cast<std::uint32_t>(i);
  const std::uint32_t u = updates.sources[i];
  if (kind == update_kind::insert) {
    const std::uint32_t v = updates.targets[i];
    if (u == v && loops == self_loops::drop) return;
    if (!erasures.undo(sequence, v)) f(v);
  }
  if (!erasures.undo(sequence, u)) f(u);
}

/// Body: notes whether an update brings a vertex into being that is absent now.
struct find_created {
  indexed_updates updates;
  self_loops loops;
  const std::uint32_t* present;
  std::uint32_t present_count;  ///< indices that have a bit
  std::uint32_t* found;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    for_each_created(updates, {}, loops, i, [&](std::uint32_t vertex) {
      const bool absent = vertex >= present_count || !bit_of(present, vertex);
      if (absent && load_relaxed(found) == 0) store_relaxed(found, 1U);
    });
  }
};

/// Body: notes whether a batch has updates of vertices (bit 0) and whether it erases any (bit 1).
struct find_vertex_updates {
  const update_kind* kinds;
  std::uint32_t* found;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    if (names_edge(kinds[i])) return;
    const std::uint32_t bits = kinds[i] == update_kind::erase_vertex ? 3 : 1;
    if ((load_relaxed(found) & bits) != bits) fetch_or(found, bits);
  }
};

/// Body: clears the bits of erased vertices.
struct clear_erased {
  indexed_updates updates;
  std::uint32_t count;
  std::uint32_t* present;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const std::uint32_t vertex = updates.sources[i];
    if (updates.kind_of(i) != update_kind::erase_vertex || vertex >= count) return;
    fetch_and(present + vertex / 32, ~(std::uint32_t{1} << (vertex % 32)));
  }
};

/// Body: sets the bits of vertices that come to be.
struct set_created {
  indexed_updates updates;
  vertex_erasures erasures;
  self_loops loops;
  std::uint32_t* present;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    for_each_created(updates, erasures, loops, i, [&](std::uint32_t vertex) {
      if (!bit_of(present, vertex)) fetch_or(present + vertex / 32, std::uint32_t{1} << (vertex % 32));
    });
  }
};

/// Body: sets the bits of the targets of update i, an insert, and of the updates with numbers i + stride and so on.
struct set_targets {
  indexed_updates updates;
  self_loops loops;
  std::size_t first;
  std::size_t last;
  std::size_t stride;
  std::uint32_t* present;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    for (std::size_t at = first + i; at < last; at += stride) {
      const std::uint32_t v = updates.targets[at];
      const std::uint32_t bit = std::uint32_t{1} << (v % 32);
      if ((load_maybe_old(present + v / 32) & bit) != 0) continue;
      if (updates.sources[at] == v && loops == self_loops::drop) continue;
      if ((load_relaxed(present + v / 32) & bit) == 0) fetch_or(present + v / 32, bit);
    }
  }
};

/// Body: sets the bits of a word that stand for vertices with edges.
struct set_sources {
  const vertex_entry* entries;
  std::uint32_t count;
  std::uint32_t* present;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t word) const {
    std::uint32_t bits = 0;
    tile.strided(32, [&](std::size_t k) {
      const std::size_t u = 32 * word + k;
      if (u < count && entries[u].degree != 0) bits |= std::uint32_t{1} << k;
    });
    bits = tile.sum(bits);  // lanes have different ones
    if (tile.lane() == 0 && bits != 0) present[word] |= bits;
  }
};

/// Body: sets the bits of a word that stand for vertices 1 to `last`.
struct set_range {
  std::uint32_t last;
  std::uint32_t* present;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t word) const {
    const auto first_of_word = static_cast<std::uint32_t>(32 * word);
    const std::uint32_t ones = ~std::uint32_t{0};
    const std::uint32_t from = word == 0 ? ones << 1 : ones;
    const std::uint32_t to = last - first_of_word >= 31 ? ones : ones >> (31 - (last - first_of_word));
    present[word] |= from & to;
  }
};

struct presence_counts {
  std::uint64_t inserted = 0;
  std::uint64_t erased = 0;
};

/// Body: compares a stretch of words before and after.
struct compare_presence {
  static constexpr std::size_t stretch = 2048;

  const std::uint32_t* before;
  std::size_t words_before;
  const std::uint32_t* after;
  std::size_t words;
  presence_counts* totals;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::size_t first = i * stretch;
    const std::size_t size = words - first < stretch ? words - first : stretch;
    std::uint32_t inserted = 0;
    std::uint32_t erased = 0;
    tile.strided(size, [&](std::size_t k) {
      const std::uint32_t was = first + k < words_before ? before[first + k] : 0;
      inserted += count_bits(after[first + k] & ~was);
      erased += count_bits(was & ~after[first + k]);
    });
    count_outcomes::add(tile, &totals->inserted, inserted);
    count_outcomes::add(tile, &totals->erased, erased);
  }
};

/// The vertices that exist. A batch that changes them prepares a new set of bits, which commit copies into place.
template <backend B>
class vertex_presence {
 public:
  struct plan {
    buffer<B, std::uint32_t> next;  ///< empty when nothing changes
    presence_counts counts;
    std::uint32_t index_count = 0;
    buffer<B, presence_counts> totals;  ///< where a build counts
  };

  vertex_presence(const resources<B>& res, std::size_t max_vertices) : words_(res, (max_vertices + 31) / 32) {}

  [[nodiscard]] const std::uint32_t* data() const noexcept { return words_.data(); }
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

  /// For batches that change bits themselves: the words, and by how many bits.
  [[nodiscard]] growable_array<B, std::uint32_t>& words() noexcept { return words_; }
  void count_created(std::uint64_t created) noexcept { count_ += created; }
  void count_erased(std::uint64_t erased) noexcept { count_ -= erased; }
  [[nodiscard]] std::size_t bytes() const noexcept { return words_.bytes(); }

  /// @param vertex_updates whether the batch names vertices; otherwise a look may show that nothing changes
  /// @param last_of_range vertices 1 to this come to be before the batch; 0 for none
  plan prepare(const resources<B>& res, const indexed_updates& updates, const vertex_erasures& erasures,
               self_loops loops, std::uint32_t index_count, bool vertex_updates, std::uint32_t last_of_range) {
    plan made;
    made.index_count = index_count;
    words_.reserve((index_count + std::size_t{31}) / 32);
    if (!vertex_updates && last_of_range == 0 && !creates_any(res, updates, loops)) return made;
    const std::size_t words = (index_count + std::size_t{31}) / 32;
    made.next = buffer<B, std::uint32_t>(res, words);
    fill_bytes(res, made.next.data(), 0, words);
    copy(res, made.next.data(), words_.data(), words_.size());
    if (last_of_range != 0) {
      for_each_tile<1>(res, last_of_range / 32 + std::size_t{1}, set_range{last_of_range, made.next.data()});
    }
    if (vertex_updates) {
      for_each_tile<1>(res, updates.size, clear_erased{updates, index_count, made.next.data()});
    }
    for_each_tile<1>(res, updates.size, set_created{updates, erasures, loops, made.next.data()});
    buffer<B, presence_counts> totals(res, 1);
    made.counts = compare(res, made.next, totals);
    return made;
  }

  /// For a batch of inserts into a graph without edges. Its sources are left to `find_sources`.
  plan prepare_build(const resources<B>& res, const indexed_updates& inserts, const graph_options& options,
                     std::uint32_t index_count, std::uint32_t last_of_range) {
    plan made;
    made.index_count = index_count;
    const std::size_t words = (index_count + std::size_t{31}) / 32;
    words_.reserve(words);
    made.next = buffer<B, std::uint32_t>(res, words);
    made.totals = buffer<B, presence_counts>(res, 1);
    fill_bytes(res, made.next.data(), 0, words);
    copy(res, made.next.data(), words_.data(), words_.size());
    if (last_of_range != 0) {
      for_each_tile<1>(res, last_of_range / 32 + std::size_t{1}, set_range{last_of_range, made.next.data()});
    }
    if (options.direction == edge_direction::directed) set_all_targets(res, inserts, options.loops, made.next.data());
    return made;
  }

  /// Completes what `prepare_build` began, once the edges are there. Allocates nothing.
  void find_sources(const resources<B>& res, const vertex_entry* entries, plan& made) {
    for_each_tile<32>(res, made.next.size(), set_sources{entries, made.index_count, made.next.data()});
    made.counts = compare(res, made.next, made.totals);
  }

  /// Allocates nothing.
  void commit(const resources<B>& res, const plan& made) {
    words_.grow((made.index_count + std::size_t{31}) / 32);
    copy(res, words_.data(), made.next.data(), made.next.size());
    count_ += made.counts.inserted - made.counts.erased;
  }

 private:
  [[nodiscard]] bool creates_any(const resources<B>& res, const indexed_updates& updates, self_loops loops) const {
    buffer<B, std::uint32_t> found(res, 1);
    fill_bytes(res, found.data(), 0, 1);
    const auto bits = static_cast<std::uint32_t>(words_.size() * 32);
    for_each_tile<1>(res, updates.size, find_created{updates, loops, words_.data(), bits, found.data()});
    return read_back(res, found.data()) != 0;
  }

  /// A few targets first: then most bits are set, and where caches show them all others find them there.
  static void set_all_targets(const resources<B>& res, const indexed_updates& inserts, self_loops loops,
                              std::uint32_t* present) {
    const std::size_t few = inserts.size / 16;
    const auto set = [&](std::size_t first, std::size_t last) {
      constexpr std::size_t each = 8;
      const std::size_t calls = (last - first + each - 1) / each;
      for_each_tile<1>(res, calls, set_targets{inserts, loops, first, last, calls, present});
    };
    set(0, few);
    set(few, inserts.size);
  }

  [[nodiscard]] presence_counts compare(const resources<B>& res, const buffer<B, std::uint32_t>& next,
                                        buffer<B, presence_counts>& totals) const {
    fill_bytes(res, totals.data(), 0, 1);
    const std::size_t stretches = (next.size() + compare_presence::stretch - 1) / compare_presence::stretch;
    for_each_task<32>(res, stretches,
                      compare_presence{words_.data(), words_.size(), next.data(), next.size(), totals.data()});
    return read_back(res, totals.data());
  }

  growable_array<B, std::uint32_t> words_;
  std::uint64_t count_ = 0;
};

}  // namespace mangrove::detail
