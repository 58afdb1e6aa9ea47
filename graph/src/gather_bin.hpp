#pragma once

#include "bin_updates.hpp"
#include "block_runs.hpp"
#include "mangrove/core/bits.hpp"
#include "mangrove/core/counter_share.hpp"
#include "mangrove/core/prefetch.hpp"

namespace mangrove::detail {

/// Body: makes runs of the updates in bin i, sorted out by the adjacency that each will find. Empties the bin's
/// counter.
///
/// Keys are counted by vertex and put in order in scratch; then lanes share the vertices that have any. The tile
/// numbers the runs of each list by one atomic.
template <class Bits>
struct gather_bin : block_runs<Bits, run_planning::later> {
  using base = block_runs<Bits, run_planning::later>;
  using base::nowhere, base::sequences, base::status, base::targets;
  static constexpr int width = 512;
  static constexpr int blocks_at_once = 3;

  update_bins bins;
  update_admission admission;

  /// A vertex that has updates in the bin, and once they are gathered what became of them.
  struct touched {
    std::uint16_t vertex;  ///< number in the bin
    std::uint8_t count;    ///< of its run
    std::uint8_t to;
  };

  /// A tile's memory.
  struct room {
    std::uint64_t keys[bin_format::max_keys];
    std::uint32_t ends[bin_format::max_vertices];  ///< by vertex: of its keys
    touched vertices[bin_format::max_vertices];
    typename base::counters counted;
    std::uint32_t missing[bin_format::max_vertices / 32];         ///< a bit a vertex: whether it comes to be
    std::uint32_t missing_before[bin_format::max_vertices / 32];  ///< by word
    std::uint32_t first;                                          ///< of the bin's updates among all gathered ones
    std::uint32_t count;                                          ///< of vertices that have updates
    std::uint32_t noted;                                          ///< vertices that come to be
    std::uint32_t first_noted;                                    ///< their place among those of the batch
  };
  static constexpr int scratch_bytes = static_cast<int>((sizeof(room) + 127) / 128 * 128);

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i, std::byte* scratch) const {
    room& in = *reinterpret_cast<room*>(scratch);
    const auto bin = static_cast<std::uint32_t>(i);
    const std::uint32_t size = bins.sizes[bin];
    tile.sync();
    if (tile.lane() == 0) bins.sizes[bin] = 0;
    if (size != 0 && size <= bins.format.capacity) gather(tile, in, bin, size);
  }

 private:
  template <class Tile>
  MANGROVE_HOST_DEVICE void gather(const Tile& tile, room& in, std::uint32_t bin, std::uint32_t size) const {
    order_by_vertex(tile, in, bin, size);
    tile.strided(in.count, [&](std::size_t k) { gather_one(tile.solo(), in, bin, in.vertices[k]); });
    if (notes()) list_missing(tile, in, bin);
    base::list_all(
        tile, in.counted, in.count, [&](std::size_t k) { return in.vertices[k].to; },
        [&](std::size_t k) { return run_of(in, bin, in.vertices[k]); }, [] {}, [](auto...) {});
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE vertex_run run_of(const room& in, std::uint32_t bin, const touched& of) const {
    const std::uint32_t start = start_of(in, of.vertex);
    return {bins.format.first_vertex(bin) + of.vertex, in.first + start, of.count,
            static_cast<std::uint32_t>(in.keys[start])};
  }

  /// Whether vertices that come to be are noted here, by bits.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool notes() const {
    return only_inserts() && admission.creating != nullptr && admission.vertex_count != admission.index_count;
  }

  /// Lists the vertices that come to be, by one atomic.
  template <class Tile>
  MANGROVE_HOST_DEVICE void list_missing(const Tile& tile, room& in, std::uint32_t bin) const {
    const std::uint32_t words = (bins.format.vertices + 31) / 32;
    tile.sync();
    tile.strided(words, [&](std::size_t w) {
      if (in.missing[w] != 0) in.missing_before[w] = relaxed_add(&in.noted, count_bits(in.missing[w]));
    });
    tile.sync();
    if (in.noted == 0) return;
    if (tile.lane() == 0) in.first_noted = fetch_add(&status->creating, in.noted);
    tile.sync();
    tile.strided(words, [&](std::size_t w) {
      std::uint32_t at = in.first_noted + in.missing_before[w];
      for (std::uint32_t rest = in.missing[w]; rest != 0; rest &= rest - 1) {
        admission.creating[at++] =
            bins.format.first_vertex(bin) + 32 * static_cast<std::uint32_t>(w) + lowest_bit(rest);
      }
    });
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE bool only_inserts() const {
    return base::updates.batch.kinds == nullptr && base::updates.batch.kind == update_kind::insert;
  }

  MANGROVE_HOST_DEVICE static std::uint32_t start_of(const room& in, std::uint32_t vertex) {
    return vertex == 0 ? 0 : in.ends[vertex - 1];
  }

  /// Puts a bin's keys in order by vertex, and lists the vertices.
  template <class Tile>
  MANGROVE_HOST_DEVICE void order_by_vertex(const Tile& tile, room& in, std::uint32_t bin, std::uint32_t size) const {
    const bin_format& format = bins.format;
    const std::uint64_t* const keys = bins.keys + std::size_t{bin} * format.capacity;
    clear_counters(tile, in.ends, format.vertices);
    base::clear(tile, in.counted);
    tile.strided(bin_format::max_vertices / 32, [&](std::size_t w) { in.missing[w] = 0; });
    if (tile.lane() == 0) {
      in.first = fetch_add(&status->updates.value, size);
      in.noted = 0;
    }
    tile.sync();
    for_each_key(tile, keys, size, [&](std::uint64_t key) { relaxed_add(in.ends + format.local(key), 1U); });
    tile.sync();
    list_vertices(tile, in, bins.format.first_vertex(bin));
    tile.sync();
    for_each_key(tile, keys, size,
                 [&](std::uint64_t key) { in.keys[relaxed_add(in.ends + format.local(key), 1U)] = key; });
    tile.sync();
  }

  /// Calls `f(key)` for all keys. Lanes read a few before they work on any.
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE static void for_each_key(const Tile& tile, const std::uint64_t* keys, std::uint32_t size, F f) {
    constexpr int together = 4;
    for (std::uint32_t base = tile.lane(); base < size; base += together * Tile::lanes) {
      std::uint64_t own[together];
      unrolled<together>([&](int k) {
        const std::uint32_t at = base + k * Tile::lanes;
        own[k] = at < size ? load_once(keys + at) : 0;
      });
      unrolled<together>([&](int k) {
        if (base + k * Tile::lanes < size) f(own[k]);
      });
    }
  }

  /// From counts of keys to where each vertex's keys begin. Each lane has a few neighbouring vertices.
  template <class Tile>
  MANGROVE_HOST_DEVICE void list_vertices(const Tile& tile, room& in, std::uint32_t first_vertex) const {
    constexpr std::uint32_t one_vertex = 1U << 16;  // above the keys
    sum_in_order(
        tile, in.ends, bins.format.vertices, [](std::uint32_t count) { return count == 0 ? 0 : count + one_vertex; },
        [&](std::uint32_t v, std::uint32_t& end, std::uint32_t before) {
          if (end != 0) {
            prefetch_early(base::graph.entries + first_vertex + v);
            in.vertices[before / one_vertex].vertex = static_cast<std::uint16_t>(v);
          }
          end = before % one_vertex;
        },
        [&](std::uint32_t all) { in.count = all / one_vertex; });
  }

  /// Writes the last update on each edge of a vertex, and finds out where its run goes.
  template <class Lane>
  MANGROVE_HOST_DEVICE void gather_one(const Lane& lane, room& in, std::uint32_t bin, touched& of) const {
    const std::uint32_t start = start_of(in, of.vertex);
    const std::uint32_t size = in.ends[of.vertex] - start;
    of.to = nowhere;
    note(in, bin, of.vertex);
    if (size > vertex_run::max_updates) return store_relaxed(&status->crowded, 1U);
    const std::uint32_t first = in.first + start;
    const std::uint32_t count = keep_last(in.keys + start, size);
    for (std::uint32_t k = 0; k < count; ++k) {
      targets[first + k] = bins.format.target(in.keys[start + k]);
      if (sequences != nullptr) sequences[first + k] = bins.format.sequence(in.keys[start + k]);
    }
    const std::uint32_t vertex = bins.format.first_vertex(bin) + of.vertex;
    const auto run =
        base::sort_out(lane, in.counted, {vertex, first, count, vertex_run::in_place}, base::graph.entries[vertex]);
    in.keys[start] = run.run.plan;  // the key has been written
    of.count = static_cast<std::uint8_t>(count);
    of.to = static_cast<std::uint8_t>(run.to);
  }

  /// Notes that a vertex comes to be, unless it exists. @param local its number in the bin
  MANGROVE_HOST_DEVICE void note(room& in, std::uint32_t bin, std::uint32_t local) const {
    if (!only_inserts()) return;
    const std::uint32_t vertex = bins.format.first_vertex(bin) + local;
    if (!notes()) return admission.note(vertex);
    if (!admission.exists(vertex)) relaxed_or(in.missing + local / 32, 1U << local % 32);
  }

  /// Keeps the largest key of each edge, which is of its last update. @return how many are kept
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t keep_last(std::uint64_t* keys, std::uint32_t size) const {
    std::uint32_t count = 0;
    target_filter seen;
    for (std::uint32_t k = 0; k < size; ++k) {
      const std::uint64_t key = keys[k];
      std::uint32_t at = seen.add(bins.format.target(key)) ? 0 : count;
      while (at < count && !bins.format.same_edge(keys[at], key)) ++at;
      if (at == count || keys[at] < key) keys[at] = key;
      if (at == count) ++count;
    }
    return count;
  }
};

}  // namespace mangrove::detail
