#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "bulk_bins.hpp"
#include "mangrove/core/bits.hpp"
#include "mangrove/core/load_row.hpp"
#include "mangrove/core/relaxed_atomic.hpp"
#include "mangrove/core/unrolled.hpp"

/// @file
/// The second part of a bulk build: rows are found among sorted edges. Those of few edges go into their entries at
/// once; every other one gets a representation, a number among the requests to the pool, and a place in the list of the
/// launch that fills it.
///
/// Rows are planned by their size, which repeats make larger than the degree. Two things must not happen: that a vertex
/// is given an extent although its neighbours fit into its entry, because the degree decides how an entry is read; and
/// that a batch of many repeats takes much more memory than its edges need. Both are looked for here.

namespace mangrove::detail {

/// Sorted edges as bodies read them.
template <class Bits>
struct sorted_edges {
  const std::uint32_t* sources;
  const std::uint32_t* targets;
  const Bits* weights;
  std::size_t count;
  std::uint32_t none;  ///< the source of what is no edge

  [[nodiscard]] MANGROVE_HOST_DEVICE bool is_of(std::size_t at, std::uint32_t vertex) const {
    return at < count && sources[at] == vertex;
  }

  /// Where the edges of a vertex end, of which `at` is at most one more than one. Lanes look at 32 places at a time,
  /// first further and further away, then closer and closer to the end.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE std::size_t end_of(const Tile& tile, std::size_t at, std::uint32_t vertex) const {
    const auto count_hits = [&](std::size_t first, auto place) {
      return count_bits(tile.template match<32>([&](int k) { return is_of(first + place(k), vertex); }));
    };
    const std::uint32_t doublings = count_hits(at, [](int k) { return (std::size_t{1} << k) - 1; });
    if (doublings == 0) return at;
    std::size_t reach = std::size_t{1} << doublings;  // edge at + reach / 2 - 1 is of the vertex, at + reach - 1 is not
    at += reach / 2;
    for (reach /= 2; reach != 0;) {  // the end is one of `reach` places from `at` on
      const std::size_t step = (reach + 31) / 32;
      at += step * count_hits(at, [step](int k) { return step * static_cast<std::size_t>(k + 1) - 1; });
      reach = step == 1 ? 0 : step;
    }
    return at;
  }
};

/// Looks at the targets of a row.
template <class Bits>
struct row_looks {
  static constexpr std::uint32_t room = entry_layout<Bits>::inline_capacity;
  static constexpr std::uint32_t most_at_once = 4;       ///< edges of a row that one lane puts into its entry
  static constexpr std::uint32_t sampled_edges = 128;    ///< of a row at most, to be looked at for repeats
  static constexpr std::uint32_t repeated = ~std::uint32_t{0};  ///< no target, and above all

  const sorted_edges<Bits>& edges;

  /// Writes the entry of a row of at most `most_at_once` edges. @return false if it has no room
  MANGROVE_HOST_DEVICE bool put(const bulk_row& row, vertex_entry* entries) const {
    std::uint32_t kept[most_at_once];
    std::uint32_t degree = 0;
    const auto size = static_cast<int>(row.size());
    unrolled<most_at_once>([&](int k) { kept[k] = k < size ? edges.targets[row.begin + k] : repeated; });
    unrolled<most_at_once>([&](int k) {
      bool again = kept[k] == repeated;
      unrolled<most_at_once>([&](int j) { again = again || (j > k && kept[j] == kept[k]); });
      if (again) kept[k] = repeated;
      degree += again ? 0 : 1;
    });
    if (degree > room) return false;
    std::uint32_t words[4] = {degree, 0, 0, 0};
    unrolled<most_at_once>([&](int k) {
      int rank = 0;
      unrolled<most_at_once>([&](int j) { rank += kept[j] < kept[k] ? 1 : 0; });
      unrolled<room>([&](int s) { words[1 + s] = kept[k] != repeated && rank == s ? kept[k] : words[1 + s]; });
    });
    if constexpr (!is_none<Bits>) {  // there is room for one edge, of which the last one counts
      static_assert(room == 1);
      std::memcpy(words + 2, edges.weights + row.end - 1, sizeof(Bits));
    }
    store_row(&entries[row.vertex].degree, words);
    return true;
  }

  /// Whether the row's targets are as few as fit into an entry. Of a long row some are looked at, from all over it
  /// because they may be sorted.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool fits_entry(const bulk_row& row) const {
    std::uint32_t seen[room] = {};
    std::uint32_t count = 0;
    const std::uint32_t looks = row.size() < bulk_limits::small_edges ? row.size() : bulk_limits::small_edges;
    if (begins_differently(row)) return false;
    for (std::uint32_t k = 0; k < looks; ++k) {
      const std::uint64_t at = looks == row.size() ? k : std::uint64_t{k} * row.size() / looks;
      const std::uint32_t v = edges.targets[row.begin + at];
      bool known = false;
      for (std::uint32_t s = 0; s < room; ++s) known = known || (s < count && seen[s] == v);
      if (known) continue;
      if (count == room) return false;
      for (std::uint32_t s = 0; s < room; ++s) seen[s] = s == count ? v : seen[s];
      ++count;
    }
    return true;
  }

  /// Counts a row, if it is not too long, and whether its middle edge occurs again.
  template <class Tile>
  MANGROVE_HOST_DEVICE void sample(const Tile& tile, const bulk_row& row, bulk_totals* to) const {
    const std::uint32_t size = row.size();
    if (size > sampled_edges) return;
    const std::uint32_t middle = edges.targets[row.begin + size / 2];
    std::uint32_t own = 0;
    tile.strided(size, [&](std::size_t k) { own += edges.targets[row.begin + k] == middle ? 1 : 0; });
    const bool again = tile.sum(own) > 1;
    if (tile.lane() != 0) return;
    relaxed_add(&to->sampled, size);
    if (again) relaxed_add(&to->repeated, size);
  }

 private:
  /// Whether the first targets of a row are different, and too many. They are read at once.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool begins_differently(const bulk_row& row) const {
    std::uint32_t first[room + 1];
    unrolled<room + 1>([&](int k) { first[k] = edges.targets[row.begin + k]; });
    bool different = true;
    unrolled<room + 1>([&](int k) {
      unrolled<room + 1>([&](int j) { different = different && (j <= k || first[j] != first[k]); });
    });
    return different;
  }
};

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
    bulk_totals bases;                  ///< where the stretch's numbers begin
    std::uint32_t sources[1 + stretch];  ///< from the edge before the stretch on
    std::uint32_t begins[words];        ///< a bit an edge: whether a row begins there
    std::uint32_t before[words];        ///< rows whose places in `rows` come before those of a word
    std::uint32_t places[stretch];      ///< by row: bin, number in it, request, or `nowhere`
    std::uint16_t rows[stretch];        ///< where they begin
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
      if (own_words[k] != 0) base_words[k] = relaxed_add(totals->word(k), own_words[k]);
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
      if (in.begins[word] != 0) in.before[word] = relaxed_add(&in.count, count_bits(in.begins[word]));
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
      relaxed_add(&own.doubtful, 1U);
      return nowhere;
    }
    const bulk_bin bin = inlined ? bulk_chooser<Bits>::sorted_bin(size) : chooser.bin_for(size);
    const std::uint32_t request = inlined ? place::no_request : relaxed_add(&own.taken[chooser.class_for(size)], 1U);
    return place{bin, relaxed_add(&own.rows[static_cast<std::uint32_t>(bin)], 1U), request}.packed();
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
    const std::uint32_t first = relaxed_add(totals->word(chunks), count);
    for (std::uint32_t k = 0; k < count; ++k) lists.chunks[first + k] = {row, k};
  }
};

}  // namespace mangrove::detail
