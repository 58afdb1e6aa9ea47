#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "hub.hpp"
#include "vertex_runs.hpp"

namespace mangrove::detail {

/// What the batches before suggest about the next one.
enum class batch_skew {
  none,
  ranges,  ///< bins of neighbouring vertices were too small
  bins,    ///< bins of any vertices were too small
  hubs,    ///< vertices had more updates than a run holds
  giants   ///< a bin had too many updates, or hubs that have to be set apart, whatever room it gets
};

/// What to expect of the next batch, by those before. Whoever goes by it finds out where it was wrong, and only loses
/// time.
class batch_outlook {
 public:
  /// Whether the direct path may suit: where vertices get many updates each, sorting pays, and a stream whose batches
  /// turned out so is likely to go on.
  [[nodiscard]] bool worth_trying(std::size_t updates, std::uint32_t index_count) {
    if (updates > 4096 && updates / 8 > index_count) return false;
    if (skips_ == 0) return true;
    --skips_;
    return false;
  }

  [[nodiscard]] batch_skew skew() const noexcept { return skew_; }

  /// What is likely to move: as much as at most did lately.
  [[nodiscard]] change_terms moves() const noexcept { return moves_; }

  /// Bytes of extents that the last batch took and that were never in use before.
  [[nodiscard]] std::size_t fresh_bytes() const noexcept { return fresh_bytes_; }

  /// Whether a pool that has so many bytes left is likely to have too few.
  [[nodiscard]] bool lacks_extents(std::size_t at_hand) const noexcept { return was_short_ && fresh_bytes_ > at_hand; }

  /// Whether no batch was applied before.
  [[nodiscard]] bool is_first() const noexcept { return updates_ == 0; }

  /// Whether the next batch is likely to name vertices beyond the dictionary.
  [[nodiscard]] bool may_name_new() const noexcept { return is_first() || new_names_last_ != 0; }

  /// Whether a batch of so many updates is about as large as the last one, or larger: a stream's last one may be small.
  [[nodiscard]] bool is_like_last(std::size_t updates) const noexcept { return updates >= updates_ / 2; }

  /// Extents that a batch of so many updates is likely to take and give: as many as lately, or its share of them.
  [[nodiscard]] pool_demand demand(std::size_t updates) const noexcept {
    pool_demand likely = demand_;
    if (updates >= updates_) return likely;
    const auto share = [&](std::uint32_t count) {
      return static_cast<std::uint32_t>(std::uint64_t{count} * updates / updates_);
    };
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      likely.taken[c] = share(likely.taken[c]);
      likely.given[c] = share(likely.given[c]);
    }
    return likely;
  }

  /// How many runs a batch of so many updates is likely to have whose vertices may need other extents than an array
  /// more: as many as lately, or its share of them. Of a batch much larger than those nothing is known.
  [[nodiscard]] std::size_t growing(std::size_t updates) const noexcept {
    return is_first() || updates / 2 > updates_ ? any_number : share_of_growing(updates);
  }

  /// How many tables of hubs a batch of so many updates is likely to change in scratch: as many as lately, and a
  /// quarter more. Launches are made for so many.
  [[nodiscard]] hub_table_counts hub_tables(std::size_t updates) const noexcept {
    hub_table_counts likely{};
    for (std::uint32_t k = 0; k < scratch_table_sizes; ++k) {
      likely[k] = is_first() ? any_number : hub_tables_[k] * updates / updates_ * 5 / 4 + 1;
    }
    return likely;
  }

  /// A batch was not for the direct path.
  void note_unsuited() {
    skips_ = skips_after_failure_;
    skips_after_failure_ = std::min(2 * skips_after_failure_, 16U);
  }

  /// Bins were too small for a batch, which is likely to last. @param now what that tells
  void note_narrow_bins(batch_skew now) {
    skew_ = now;
    skew_lasts_ = 16;
  }

  /// What has to be found out about hubs before their tables are planned.
  [[nodiscard]] hub_study study() const noexcept { return study_; }

  /// That was too little, which is likely to last.
  void note_unforeseen() noexcept {
    study_ = study_ == hub_study::none ? hub_study::samples : hub_study::all;
    study_lasts_ = 16;
  }

  /// Vertices had many edges of a batch that was built at once.
  void note_hubs() noexcept { skew_ = batch_skew::hubs; }

  /// A batch was applied.
  void note(const batch_status& seen, std::size_t updates) {
    skips_after_failure_ = 1;
    note_demand(seen.demand, updates);
    note_hub_tables(seen, updates);
    note_growing(seen.growing.value, updates);
    updates_ = updates;
    fresh_bytes_ = seen.verdict.fresh * granule_bytes;
    was_short_ = !seen.has_extents();
    note_skew(seen.long_runs != 0);
    if (seen.hubs != 0) note_study(seen.foreseen != 0);
    note_new_names(seen.index_limit != 0);
    note_moves(seen.moves());
  }

 private:
  /// Vertices that had many updates are likely to have many again.
  void note_skew(bool had_long_runs) {
    if (skew_ == batch_skew::giants && had_long_runs && --skew_lasts_ != 0) return;
    if (had_long_runs) {
      skew_ = batch_skew::hubs;
    } else if (skew_ >= batch_skew::hubs || (skew_ != batch_skew::none && --skew_lasts_ == 0)) {
      skew_ = batch_skew::none;
    }
  }

  /// Less is found out once more has not been needed for some batches.
  void note_study(bool was_needed) {
    constexpr std::uint32_t least = 4;
    const bool stays = study_ == hub_study::samples && was_needed;
    if (stays) study_lasts_ = std::max(study_lasts_, least);
    if (stays || study_ == hub_study::none || --study_lasts_ != 0) return;
    study_ = was_needed ? hub_study::samples : hub_study::none;
    study_lasts_ = least;
  }

  /// Of a size class of which fewer were taken or given than of late, more may be again: vertices of like degrees
  /// outgrow theirs together, now in one batch, now in the next.
  void note_demand(const pool_demand& seen, std::size_t updates) {
    const pool_demand before = is_first() ? pool_demand{} : demand(updates);
    demand_ = seen;
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      demand_.taken[c] = std::max(seen.taken[c], before.taken[c] / forgotten);
      demand_.given[c] = std::max(seen.given[c], before.given[c] / forgotten);
    }
  }

  void note_growing(std::size_t seen, std::size_t updates) {
    growing_ = std::max(seen, share_of_growing(updates) / forgotten);
  }
  [[nodiscard]] std::size_t share_of_growing(std::size_t updates) const noexcept {
    return updates >= updates_ ? growing_ : growing_ * updates / updates_;
  }

  /// Where there were more before, nearly as many are likely again: batches of inserts and of erases may come in turn.
  void note_hub_tables(const batch_status& seen, std::size_t updates) {
    for (std::uint32_t k = 0; k < scratch_table_sizes; ++k) {
      const std::size_t before = is_first() ? 0 : hub_tables_[k] * updates / updates_;
      hub_tables_[k] = std::max<std::size_t>(seen.hub_tables[k], before / 4 * 3);
    }
  }

  void note_new_names(bool named_some) {
    if (named_some) {
      new_names_last_ = 16;
    } else if (new_names_last_ != 0) {
      --new_names_last_;
    }
  }

  void note_moves(change_terms seen) {
    if (seen < moves_ && ++batches_with_less_ < moves_last) return;
    moves_ = seen;
    batches_with_less_ = 0;
  }

  static constexpr std::uint32_t forgotten = 2;  ///< of what there was before, one in so many
  static constexpr std::size_t any_number = std::size_t{1} << 31;
  static constexpr std::uint32_t moves_last = 4;  ///< batches for which as much is expected to move

  batch_skew skew_ = batch_skew::none;
  std::uint32_t skew_lasts_ = 0;  ///< batches for which it is expected to last
  change_terms moves_ = change_terms::in_place;
  std::uint32_t batches_with_less_ = 0;  ///< to move, since as much did
  hub_study study_ = hub_study::samples;
  std::uint32_t study_lasts_ = 4;     ///< batches for which it is likely to be needed
  pool_demand demand_{};              ///< of batches like the last one
  std::size_t updates_ = 0;           ///< of the last one
  std::size_t growing_ = 0;           ///< runs of batches like it
  hub_table_counts hub_tables_{};     ///< of batches like it
  std::uint32_t new_names_last_ = 0;  ///< batches for which names of new vertices are expected
  std::size_t fresh_bytes_ = 0;
  bool was_short_ = false;  ///< of extents, the pool in the last batch
  std::uint32_t skips_ = 0;
  std::uint32_t skips_after_failure_ = 1;
};

}  // namespace mangrove::detail
