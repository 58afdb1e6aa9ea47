#pragma once

#include <cstddef>
#include <cstdint>

#include "bulk_looks.hpp"

/// @file
/// The second part of a bulk build: rows are found among sorted edges. Those of few edges go into their entries at
/// once; every other one gets a representation, a number among the requests to the pool, and a place in the list of the
/// launch that fills it.

namespace mangrove::detail {

/// Body: finds and plans the rows that begin in a stretch of sorted edges.
template <class Bits>
struct find_rows {
  static constexpr int width = 512;
  static constexpr int blocks_at_once = 3;
  static constexpr std::size_t stretch = 4096;
  static constexpr std::uint32_t sampled_rows = width / 32;  ///< of a stretch
  static constexpr std::uint32_t words = stretch / 32;
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};

  bulk_chooser<Bits> chooser;
  sorted_edges<Bits> edges;
  vertex_entry* entries;
  bulk_lists lists;
  spread_totals* totals;

  /// A tile's memory.
  struct room {
    bulk_totals own;
    bulk_totals bases;                   ///< where the stretch's numbers begin
    std::uint32_t sources[1 + stretch];  ///< from the edge before the stretch on
    std::uint32_t begins[words];         ///< a bit an edge: whether a row begins there
    std::uint32_t before[words];         ///< rows whose places in `rows` come before those of a word
    std::uint32_t places[stretch];       ///< by row: bin, number in it, request, or `nowhere`
    std::uint16_t rows[stretch];         ///< where they begin
    std::uint32_t count;
    std::uint32_t last_end;  ///< of the row of the last edge, which may go on beyond the stretch
  };
  static constexpr int scratch_bytes = static_cast<int>((sizeof(room) + 127) / 128 * 128);

  static std::size_t calls_for(std::size_t count) { return (count + stretch - 1) / stretch; }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i, std::byte* scratch) const {
    room& in = *reinterpret_cast<room*>(scratch);
    const std::size_t first = i * stretch;
    read(tile, in, first);
    tile.sync();
    list_rows(tile, in, first);
    tile.sync();
    tile.template for_each_part<32>(in.count < sampled_rows ? in.count : sampled_rows, [&](const auto& part, auto k) {
      const bulk_row row = row_at(in, first, in.rows[k]);
      if (row.vertex != edges.none) row_looks<Bits>{edges}.sample(part, row, &in.own);
    });
    tile.strided(in.count, [&](std::size_t k) {
      const bulk_row row = row_at(in, first, in.rows[k]);
      in.places[k] = row.vertex == edges.none ? nowhere : plan(row, in.own);
    });
    tile.sync();
    auto* const own_words = reinterpret_cast<std::uint32_t*>(&in.own);
    auto* const base_words = reinterpret_cast<std::uint32_t*>(&in.bases);
    tile.strided(bulk_totals::words, [&](std::size_t k) {
      if (own_words[k] != 0) base_words[k] = fetch_add(totals->word(k), own_words[k]);
    });
    tile.sync();
    tile.strided(in.count, [&](std::size_t k) {
      if (in.places[k] != nowhere) list(in, row_at(in, first, in.rows[k]), in.places[k]);
    });
  }

 private:
  /// Where a row goes, in a word.
  struct place {
    static constexpr std::uint32_t number_bits = 13;
    static constexpr std::uint32_t no_request = (1U << number_bits) - 1;
    static_assert(stretch < no_request);

    bulk_bin bin;
    std::uint32_t number;   ///< among the stretch's rows of the bin
    std::uint32_t request;  ///< among the stretch's of the size class

    [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t packed() const {
      return (static_cast<std::uint32_t>(bin) << number_bits | number) << number_bits | request;
    }
    MANGROVE_HOST_DEVICE static place of(std::uint32_t packed) {
      return {static_cast<bulk_bin>(packed >> (2 * number_bits)), packed >> number_bits & no_request,
              packed & no_request};
    }
  };

  template <class Tile>
  MANGROVE_HOST_DEVICE void read(const Tile& tile, room& in, std::size_t first) const {
    tile.strided(stretch, [&](std::size_t k) {
      in.sources[1 + k] = first + k < edges.count ? load_once(edges.sources + first + k) : edges.none;
    });
    auto* const own_words = reinterpret_cast<std::uint32_t*>(&in.own);
    tile.strided(bulk_totals::words, [&](std::size_t k) { own_words[k] = 0; });
    if (tile.lane() != 0) return;
    in.sources[0] = first == 0 ? ~edges.sources[0] : edges.sources[first - 1];
    in.count = 0;
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void list_rows(const Tile& tile, room& in, std::size_t first) const {
    tile.template for_each_part<32>(words + 1, [&](const auto& part, std::size_t word) {
      if (word == words) return find_end(part, in, first);
      const std::uint32_t* const own = in.sources + 1 + 32 * word;
      const std::uint32_t begins = part.template match<32>([&](int k) { return own[k] != own[k - 1]; });
      if (part.lane() == 0) in.begins[word] = begins;
    });
    tile.sync();
    tile.strided(words, [&](std::size_t word) {
      if (in.begins[word] != 0) in.before[word] = fetch_add(&in.count, count_bits(in.begins[word]));
    });
    tile.sync();
    tile.strided(stretch, [&](std::size_t k) {
      const std::uint32_t begins = in.begins[k / 32];
      if ((begins >> k % 32 & 1) == 0) return;
      in.rows[in.before[k / 32] + count_bits(begins & ((1U << k % 32) - 1))] = static_cast<std::uint16_t>(k);
    });
  }

  /// Where the next row begins, at most the end of the stretch.
  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint32_t next_begin(const room& in, std::uint32_t at) {
    std::uint32_t word = at / 32;
    std::uint32_t begins = in.begins[word] & (~std::uint32_t{1} << at % 32);
    while (begins == 0 && ++word < words) begins = in.begins[word];
    return begins == 0 ? static_cast<std::uint32_t>(stretch) : 32 * word + lowest_bit(begins);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void find_end(const Tile& tile, room& in, std::size_t first) const {
    const std::uint32_t last = in.sources[stretch];
    const std::size_t end = last == edges.none ? first + stretch : edges.end_of(tile, first + stretch, last);
    if (tile.lane() == 0) in.last_end = static_cast<std::uint32_t>(end);
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE bulk_row row_at(const room& in, std::size_t first, std::uint32_t at) const {
    const auto begin = static_cast<std::uint32_t>(first);
    const std::uint32_t next = next_begin(in, at);
    return {in.sources[1 + at], begin + at, next == stretch ? in.last_end : begin + next, 0};
  }

  /// Decides, and numbers the row among those of its stretch. @return its place
  MANGROVE_HOST_DEVICE std::uint32_t plan(const bulk_row& row, bulk_totals& own) const {
    const row_looks<Bits> looks{edges};
    const std::uint32_t size = row.size();
    const bool short_one = size <= row_looks<Bits>::most_at_once;
    if (short_one && looks.put(row, entries)) return nowhere;
    const bool inlined = !short_one && looks.fits_entry(row);
    if (inlined && size > bulk_limits::small_edges) {
      fetch_add(&own.doubtful, 1U);
      return nowhere;
    }
    const bulk_bin bin = inlined ? bulk_chooser<Bits>::sorted_bin(size) : chooser.bin_for(size);
    const std::uint32_t request = inlined ? place::no_request : fetch_add(&own.taken[chooser.class_for(size)], 1U);
    return place{bin, fetch_add(&own.rows[static_cast<std::uint32_t>(bin)], 1U), request}.packed();
  }

  /// Makes the numbers of a row final, and lists it.
  MANGROVE_HOST_DEVICE void list(const room& in, bulk_row row, std::uint32_t packed) const {
    const place of = place::of(packed);
    const auto bin = static_cast<std::uint32_t>(of.bin);
    const std::uint32_t number = in.bases.rows[bin] + of.number;
    row.request = of.request == place::no_request ? 0 : in.bases.taken[chooser.class_for(row.size())] + of.request;
    lists.of_bin[bin][number] = row;
    if (of.bin == bulk_bin::hub) list_chunks(number, hub_chunk::count_for(row.size()));
  }

  MANGROVE_HOST_DEVICE void list_chunks(std::uint32_t row, std::uint32_t count) const {
    constexpr std::size_t chunks = offsetof(bulk_totals, chunks) / sizeof(std::uint32_t);
    const std::uint32_t first = fetch_add(totals->word(chunks), count);
    for (std::uint32_t k = 0; k < count; ++k) lists.chunks[first + k] = {row, k};
  }
};

}  // namespace mangrove::detail
