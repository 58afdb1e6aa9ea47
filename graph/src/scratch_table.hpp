#pragma once

#include "mangrove/adjacency/detail/table_filling.hpp"
#include "mangrove/core/load_row.hpp"
#include "mangrove/core/prefetch.hpp"
#include "mangrove/core/strided_in_steps.hpp"
#include "mangrove/graph/detail/adjacency_view.hpp"

namespace mangrove::detail {

/// A hash table that a tile has in its scratch for a while, with a few words a slab beside it. All lanes call together,
/// and sync between calls.
/// @tparam NoteWords beside each slab
template <class Bits, std::uint32_t NoteWords = 2>
class scratch_table {
 public:
  using layout = entry_layout<Bits>;
  using table = typename layout::table;
  using filling = table_filling<table>;

  /// What is noted about a slab: `fill` and `put_all` count there; whoever has the table afterwards may use it.
  struct slab_note {
    std::uint32_t words[NoteWords];
  };
  static_assert(sizeof(slab_note) >= filling::counter_words * sizeof(std::uint32_t));

  /// Bytes of scratch for tables of up to so many slabs.
  static constexpr int bytes_for(std::uint32_t slabs) {
    return static_cast<int>(slabs * (slab_bytes + sizeof(slab_note)));
  }

  /// @param scratch `bytes_for(most_slabs)`
  MANGROVE_HOST_DEVICE scratch_table(std::byte* scratch, std::uint32_t most_slabs, std::uint32_t slabs)
      : made_(scratch, slabs), notes_(reinterpret_cast<slab_note*>(scratch + most_slabs * slab_bytes)) {}

  [[nodiscard]] MANGROVE_HOST_DEVICE const table& get() const { return made_; }
  [[nodiscard]] MANGROVE_HOST_DEVICE slab_note* notes() const { return notes_; }

  template <class Tile>
  MANGROVE_HOST_DEVICE void clear_notes(const Tile& tile) const {
    tile.strided_briefly(made_.buckets(), [&](std::size_t bucket) { notes_[bucket] = {}; });
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void clear(const Tile& tile) const {
    clear_notes(tile);
    constexpr std::uint32_t all_empty[4] = {table::mark::empty, table::mark::empty, table::mark::empty,
                                            table::mark::empty};
    tile.strided_briefly(made_.buckets() * (slab_bytes / sizeof(all_empty)),
                         [&](std::size_t i) { store_row(made_.keys(0) + 4 * i, all_empty); });
  }

  /// Asks for the table that `fill` or `read` will go through, so that lanes wait for memory once, not at each step.
  template <class Tile>
  MANGROVE_HOST_DEVICE static void ask_for(const Tile& tile, const table& from) {
    if (tile.lane() == 0) prefetch_range(from.keys(0), from.buckets() * slab_bytes);
  }

  /// Puts all neighbours of a vertex into it, which must be cleared and have room. @param of an entry in memory
  template <class Tile>
  MANGROVE_HOST_DEVICE void fill(const Tile& tile, const adjacency_view<Bits>& graph, const vertex_entry& of) const {
    if (layout::kind(of) == adjacency_kind::hash) return rehash(tile, graph.table_of(of));
    const auto from = neighbor_array<Bits>::of(graph.pool, &of);
    tile.strided_briefly(of.degree, [&](std::size_t k) {
      const auto placed = put(from.keys[k]).at;
      if constexpr (!is_none<Bits>) made_.values(placed.bucket)[placed.slot] = from.weights[k];
    });
  }

  /// Puts neighbours into it, which must be cleared and have room, as long as none seems to be repeated.
  /// @tparam Edges tells `target(k)` and `weight(k)`
  /// @param displaced gets a bit for each slot, by slab, of a key that is not where its searches begin; zeros at first
  /// @return how many this lane left out because others were put where they belong: most likely the same
  template <class Tile, class Edges>
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t put_all(const Tile& tile, std::size_t count, const Edges& edges,
                                                           std::uint32_t* displaced) const {
    constexpr std::uint32_t most_buckets = 8;
    std::uint32_t left_out = 0;
    tile.strided(count, [&](std::size_t k) {
      const auto placed = put(edges.target(k), most_buckets);
      if (!placed.at) {
        ++left_out;
        return;
      }
      if (!placed.first_choice) fetch_or(displaced + placed.at.bucket, 1U << placed.at.slot);
      if constexpr (!is_none<Bits>) made_.values(placed.at.bucket)[placed.at.slot] = edges.weight(k);
    });
    return left_out;
  }

  /// Repeats among what was put into it, as many as this lane meets: each sector is compared with itself, what was
  /// displaced with all that a search for it meets.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t count_repeats(const Tile& tile,
                                                                 const std::uint32_t* displaced) const {
    constexpr std::uint32_t sectors = table::sectors::count;
    std::uint32_t repeats = 0;
    tile.strided(made_.buckets() * sectors, [&](std::size_t i) {
      const auto sector = static_cast<std::uint32_t>(i);
      repeats += filling(made_).has_equal(sector / sectors, sector % sectors) ? 1 : 0;
    });
    tile.strided(made_.buckets(), [&](std::size_t i) {
      const auto bucket = static_cast<std::uint32_t>(i);
      for (std::uint32_t slots = displaced[bucket]; slots != 0; slots &= slots - 1) {
        repeats += filling(made_).occurs_before({bucket, lowest_bit(slots), false}) ? 1 : 0;
      }
    });
    return repeats;
  }

  /// Puts a key into it that it does not have, after `fill`. By one lane; others may do so at the same time.
  [[nodiscard]] MANGROVE_HOST_DEVICE typename table::position add(std::uint32_t key) const { return put(key).at; }

  /// Makes it a copy of a table of the same size. Lanes read a few packs before they write any, so that all loads are
  /// under way together.
  template <class Tile>
  MANGROVE_HOST_DEVICE void read(const Tile& tile, const table& from) const {
    constexpr int ahead = 4;
    strided_in_steps<ahead, pack>(
        tile, packs_of(from), [&](std::size_t k, pack& own) { own = load(from, k); },
        [&](std::size_t k, const pack& own) { store_row(made_.keys(0) + k * pack_words, own.words); });
  }

  /// Makes a table of the same size a copy of it.
  template <class Tile>
  MANGROVE_HOST_DEVICE void write(const Tile& tile, const table& to) const {
    tile.strided_briefly(packs_of(to),
                         [&](std::size_t k) { store_row(to.keys(0) + k * pack_words, load(made_, k).words); });
  }

 private:
  static constexpr std::uint32_t pack_words = 4;

  /// Neighbouring words that one instruction moves.
  struct pack {
    std::uint32_t words[pack_words];
  };

  [[nodiscard]] MANGROVE_HOST_DEVICE static std::size_t packs_of(const table& of) {
    return of.buckets() * (slab_bytes / sizeof(pack));
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE static pack load(const table& from, std::size_t k) {
    pack own;
    load_row<access::plain>(from.keys(0) + k * pack_words, own.words);
    return own;
  }

  /// Lanes read a few slots each before they place any, so that all loads are under way together.
  template <class Tile>
  MANGROVE_HOST_DEVICE void rehash(const Tile& tile, const table& from) const {
    if constexpr (is_none<Bits>) {
      tile.strided_briefly(packs_of(from), [&](std::size_t k) {
        const pack own = load(from, k);
        unrolled<pack_words>([&](int j) {
          if (table::mark::storable(own.words[j])) put(own.words[j]);
        });
      });
    } else {
      rehash_slots(tile, from);
    }
  }

  /// Slot by slot, for tables whose slabs have values beside the keys.
  template <class Tile>
  MANGROVE_HOST_DEVICE void rehash_slots(const Tile& tile, const table& from) const {
    constexpr int ahead = 4;
    strided_in_steps<ahead, std::uint32_t>(
        tile, from.buckets() * table::slots,
        [&](std::size_t i, std::uint32_t& key) { key = from.keys(bucket_of(i))[i % table::slots]; },
        [&](std::size_t i, std::uint32_t key) {
          if (!table::mark::storable(key)) return;
          const auto placed = put(key).at;
          made_.values(placed.bucket)[placed.slot] = from.values(bucket_of(i))[i % table::slots];
        });
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint32_t bucket_of(std::size_t slot) {
    return static_cast<std::uint32_t>(slot / table::slots);
  }

  MANGROVE_HOST_DEVICE typename filling::put_place put(std::uint32_t key, std::uint32_t most_buckets = ~0U) const {
    return filling(made_).put(key, reinterpret_cast<std::uint32_t*>(notes_), most_buckets);
  }

  table made_;
  slab_note* notes_;
};

}  // namespace mangrove::detail
