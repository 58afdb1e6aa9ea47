#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "mangrove/core/buffer.hpp"
#include "mangrove/core/detail/class_counts.hpp"
#include "mangrove/core/detail/list_survey.hpp"
#include "mangrove/core/detail/page_bodies.hpp"
#include "mangrove/core/detail/page_moves.hpp"
#include "mangrove/core/error.hpp"
#include "mangrove/core/pool_ref.hpp"

namespace mangrove::detail {

/// Freed extents by class, first in, first out, so that what is given never overwrites what is being taken.
template <backend B>
class free_lists {
 public:
  [[nodiscard]] class_counts counts() const noexcept { return survey().counts(); }

  /// Bytes of all lists.
  [[nodiscard]] std::size_t bytes() const noexcept {
    return std::size_t{pages_} * page_extents * sizeof(slab_index) + directories_.size() * sizeof(slab_index*);
  }

  /// The lists as they are, for kernels.
  [[nodiscard]] const freed_extents& snapshot() const noexcept { return lists_; }

  /// Whether lists lack pages for as much as was given last.
  [[nodiscard]] bool is_tight() const noexcept {
    return lacking_ > std::min(static_cast<std::uint64_t>(pages_left::few), std::uint64_t{lists_.spare().count});
  }

  /// Whether lists lack pages for so many extents more, or few spare ones would be left for others. Takes less time
  /// than `suffices`.
  [[nodiscard]] bool is_tight_for(const class_counts& more) const noexcept { return survey().is_tight_for(more); }

  /// Whether there is room, or nearly so, and no more pages have to be dealt than may be left.
  [[nodiscard]] bool suffices(const list_room& room, pages_left left) const noexcept {
    return survey().suffices(room, left);
  }

  /// Makes sure that lists have room. @throws memory_error with all lists as they were
  void make_room(const resources<B>& res, const list_room& room, pages_left left) {
    if (suffices(room, left)) return;
    const class_counts kept = survey().kept_for(room);
    const list_shortage lacking = survey().shortage_of(room, kept);
    if (lacking.pages != 0 || lacking.any_directory) grow(res, room, lacking);
    turn(res, {}, survey().with_room_ahead(kept, room), counts(), list_pages::needed);
    lacking_ = 0;
  }

  /// The lists are used with these resources from here on, after what was queued to make them.
  void hand_over_to(const resources<B>& res) {
    for (buffer<B, slab_index>& some : slots_) some.free_in_order_of(res);
    directories_.free_in_order_of(res);
  }

  /// Gets lists the pages that they lack, of which there have to be enough, for kernels that are queued after this:
  /// they take extents from the heads of the lists as they were, and write others behind the last ones. Books that they
  /// do.
  /// @param extents to get pages for, with those that are taken @param now there once they have run
  void turn(const resources<B>& res, const class_counts& taken, const class_counts& extents, const class_counts& now,
            list_pages keeps) {
    make_moves body{lists_, {}};
    std::size_t count = 0;
    std::uint32_t dealt = 0;
    std::uint32_t returned = 0;
    const auto make = [&] { for_each_tile<32>(res, std::exchange(count, 0), body); };
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      const page_turn turn = body.lists[c].turn(taken[c], extents[c], keeps);
      for_each_move(body.lists, c, turn, dealt, returned, [&](const page_move& move) {
        if (count == body.moves.size()) make();
        body.moves[count++] = move;
      });
      dealt += turn.more;
      returned += turn.front + turn.back;
      lists_.book(c, taken[c], extents[c], now[c], keeps);
    }
    if (count != 0) make();
  }

  /// Books what kernels have taken and given. @param granted where `given` is what they might have given at most
  void book(const pool_demand& granted, const class_counts& given) noexcept {
    lacking_ = 0;
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      if ((granted.taken[c] | granted.given[c]) == 0) continue;
      const std::uint32_t count = lists_[c].count;
      const std::uint32_t reused = std::min(granted.taken[c], count);
      const std::uint32_t now = count - reused + given[c];
      lists_.book(c, reused, std::uint64_t{count} + granted.given[c], now, list_pages::all);
      lacking_ += lists_[c].lacks(std::uint64_t{lists_[c].count} + granted.given[c]);
    }
  }

 private:
  [[nodiscard]] list_survey survey() const noexcept { return list_survey(lists_); }

  /// Where one directory has to grow, all that would soon have to do: it takes the host as long as some launches.
  static std::uint32_t places_for(std::uint64_t pages, std::uint32_t there) {
    if (there != 0 && pages + pages / 2 <= there) return there;
    return static_cast<std::uint32_t>(std::bit_ceil(std::max<std::uint64_t>(2 * pages, freed_extents::least_places)));
  }

  /// Gets more spare pages, and larger directories. @throws memory_error with all lists as they were
  void grow(const resources<B>& res, const list_room& room, const list_shortage& lacking) {
    const std::uint64_t more = lacking.pages == 0 ? 0 : std::max<std::uint64_t>(lacking.pages, growth());
    if (pages_ + more > most_pages)
      throw memory_error("more extents are free than a pool can list; build the graph anew from its edges");
    slots_.reserve(slots_.size() + 1);
    buffer<B, slab_index> slots(res, more * page_extents);
    if (lacking.any_directory || pages_ + more > spare_places()) move_to(res, room, pages_ + more);
    if (more == 0) return;
    for_each_tile<1>(res, more, add_pages{lists_.spare(), slots.data()});
    slots_.push_back(std::move(slots));
    pages_ += static_cast<std::uint32_t>(more);
    lists_.book_spare(static_cast<std::uint32_t>(more));
  }

  /// Pages that there shall be more at least, so that they are asked for seldom.
  [[nodiscard]] std::uint32_t growth() const noexcept {
    constexpr std::uint32_t few = 64;
    constexpr std::uint32_t share = 16;
    return std::max(std::min(pages_, few), pages_ / share);
  }

  [[nodiscard]] std::uint64_t spare_places() const noexcept {
    return directories_.empty() ? 0 : std::uint64_t{lists_.spare().mask} + 1;
  }

  /// @param pages that there will be
  void move_to(const resources<B>& res, const list_room& room, std::uint64_t pages) {
    class_counts places{};
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      places[c] = places_for(survey().most_pages_of(c, room), lists_[c].places());
    }
    const std::uint64_t of_lists = std::accumulate(places.begin(), places.end(), std::uint64_t{0});
    const std::uint64_t of_spare = std::bit_ceil(std::max<std::uint64_t>(pages, freed_extents::least_places));
    if (of_lists > freed_extents::most_places)
      throw memory_error("lists of freed extents are too long; build the graph anew from its edges");
    buffer<B, slab_index*> directories(res, of_lists + of_spare);
    freed_extents larger(directories.data());
    std::uint64_t first = 0;
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      larger.set(c, first, places[c], lists_[c]);
      first += places[c];
    }
    larger.set_spare(of_lists, static_cast<std::uint32_t>(of_spare), lists_.spare().count);
    for_each_tile<32>(res, size_classes + 1, move_directories{lists_, larger});
    directories_.free_in_order_of(res);  // which reads them last
    directories_ = std::move(directories);
    lists_ = larger;
  }

  static constexpr std::uint64_t most_pages = (std::uint64_t{1} << 32) / page_extents;

  freed_extents lists_;
  std::vector<buffer<B, slab_index>> slots_;
  buffer<B, slab_index*> directories_;
  std::uint32_t pages_ = 0;
  std::uint64_t lacking_ = 0;  ///< pages, for as much as was given last
};

}  // namespace mangrove::detail
