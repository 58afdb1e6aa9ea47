#pragma once

#include <cstdint>

#include "hub_updates.hpp"
#include "mangrove/adjacency/detail/table_filling.hpp"
#include "mangrove/adjacency/detail/table_rounds.hpp"

namespace mangrove::detail {

/// What is noted about the slots of a bucket in scratch, a bit each, and counters of `table_rounds`.
struct table_marks {
  std::uint32_t named;  ///< its edge was there and was named by an update
  std::uint32_t fresh;  ///< its edge came with this batch
  std::uint32_t taken[2];

  MANGROVE_HOST_DEVICE static void mark(std::uint32_t* marks, std::uint32_t slot) {
    fetch_or(marks, std::uint32_t{1} << slot);
  }
  /// What inserts of the edge in a slot came to.
  [[nodiscard]] MANGROVE_HOST_DEVICE edge_outcome inserted(std::uint32_t slot) const {
    return (fresh >> slot & 1) != 0 ? edge_outcome::insert : edge_outcome::overwrite;
  }
};

/// Counts the edges that inserts into a table in scratch came to.
template <class Tile>
MANGROVE_HOST_DEVICE void count_inserts(const Tile& tile, std::uint32_t buckets, const table_marks* noted,
                                        hub_counts& made) {
  tile.strided_briefly(buckets, [&](std::size_t bucket) {
    made.inserted += count_bits(noted[bucket].fresh);
    made.overwritten += count_bits(noted[bucket].named & ~noted[bucket].fresh);
  });
}

/// The insert of a lane in a round of those of a tile into its table in scratch. All lanes call the members in order,
/// with a sync of the tile after `find_slot` and one after `put`.
template <class Bits>
class scratch_insert {
  using table = typename entry_layout<Bits>::table;
  using rounds = table_rounds<table>;
  using position = typename table::position;
  static_assert(rounds::counter_words <= sizeof(table_marks::taken) / sizeof(std::uint32_t));

 public:
  /// @param acts whether the lane has an update
  MANGROVE_HOST_DEVICE scratch_insert(const table& in, table_marks* noted, std::uint32_t target, bool acts)
      : in_(in), noted_(noted), target_(target), acts_(acts) {}

  /// Whether the lane has an update that no other one of the round is known to repeat.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool acts() const { return acts_; }
  /// Where its edge is or will be.
  [[nodiscard]] MANGROVE_HOST_DEVICE const position& at() const { return at_; }

  /// Leaves an edge that several lanes of a warp name to the first of them; in blocks, `take_repeat_back` does.
  template <class Tile>
  MANGROVE_HOST_DEVICE void leave_to_first(const Tile& tile) {
    if constexpr (Tile::lanes == 32) acts_ = tile.is_first_of_equals(target_, acts_);
  }

  /// Finds the edge, or takes a slot for it.
  MANGROVE_HOST_DEVICE void find_slot() {
    if (!acts_) return;
    const rounds of(in_);
    const typename rounds::spot found = of.look_up(target_);
    is_new_ = !found.present();
    at_ = is_new_ ? of.take(target_, found, counters()) : found.at();
  }

  /// Writes the edge, if it was not there.
  MANGROVE_HOST_DEVICE void put() const {
    if (acts_ && is_new_) rounds(in_).put(target_, at_, counters());
  }

  /// Takes an edge out again that another lane's search for it meets first. Syncs; warps need not.
  template <class Tile>
  MANGROVE_HOST_DEVICE void take_repeat_back(const Tile& tile, hub_counts& made) {
    if constexpr (Tile::lanes > 32) {
      const bool repeats = acts_ && is_new_ && table_filling<table>(in_).occurs_before(at_);
      // A sector without empty slots may have been passed by other keys.
      const bool roomy = repeats && in_.template has_empty<access::plain>(tile.solo(), at_);
      if (!tile.any(repeats)) return;
      if (repeats) {
        in_.keys(at_.bucket)[at_.slot] = roomy ? table::mark::empty : table::mark::tombstone;
        made.tombstones += (roomy ? 0 : 1) - (at_.reused_tombstone ? 1 : 0);
        acts_ = false;
      }
      tile.sync();
    }
  }

  /// Notes what came of it; `count_inserts` counts that.
  MANGROVE_HOST_DEVICE void note(hub_counts& made) const {
    if (!acts_) return;
    table_marks& bucket = noted_[at_.bucket];
    table_marks::mark(is_new_ ? &bucket.fresh : &bucket.named, at_.slot);
    if (at_.reused_tombstone) --made.tombstones;
  }

 private:
  [[nodiscard]] MANGROVE_HOST_DEVICE auto counters() const {
    return [noted = noted_](std::uint32_t bucket) { return noted[bucket].taken; };
  }

  table in_;
  table_marks* noted_;
  position at_{};
  std::uint32_t target_;
  bool acts_;
  bool is_new_ = false;
};

}  // namespace mangrove::detail
