#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "mangrove/core/buffer.hpp"
#include "mangrove/core/detail/class_counts.hpp"
#include "mangrove/core/detail/page_moves.hpp"
#include "mangrove/core/error.hpp"
#include "mangrove/core/pool_ref.hpp"

namespace mangrove::detail {

/// What lists of freed extents shall have room for.
struct list_room {
  wide_class_counts certain{};   ///< extents of each list, all at once: there are pages for them
  wide_class_counts possible{};  ///< extents of each list at most: there are places for their pages
  std::uint64_t pages = 0;       ///< spare ones besides, for what is possible
  std::uint32_t classes = 0;     ///< up to the last one of which there may be any
  std::uint32_t ahead = 1;       ///< lists get pages for as many times as much to come, as far as there are pages
};

/// How many pages may be left for a grant to deal.
enum class pages_left : std::uint32_t {
  few = 8,     ///< where they can be dealt beside other work, or for many batches at once
  many = 2048  ///< where a launch of its own would have to deal them
};

/// Body, once per list and once for the spare pages: moves their pages to larger rings.
struct move_directories {
  freed_extents from;
  freed_extents to;  ///< with as many pages in each list and spare

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    if (i == size_classes) {
      const freed_extents::spare_pages old = from.spare();
      const freed_extents::spare_pages next = to.spare();
      move(tile, {old.ring, old.mask, old.head}, {next.ring, next.mask, next.head}, old.count);
    } else {
      const freed_extents::list old = from[i];
      const freed_extents::list next = to[i];
      move(tile, {old.directory, old.mask, old.first}, {next.directory, next.mask, next.first}, old.pages);
    }
  }

 private:
  template <class Tile>
  MANGROVE_HOST_DEVICE static void move(const Tile& tile, const page_ring& old, const page_ring& next,
                                        std::uint32_t count) {
    put_pages(tile, count, next, [&](std::size_t k) { return old[k]; });
  }
};

/// Body, once per new page: puts it behind the spare ones.
struct add_pages {
  freed_extents::spare_pages spare;
  slab_index* slots;  ///< of the new pages

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    spare.ring[(spare.head + spare.count + i) & spare.mask] = slots + i * page_extents;
  }
};

/// Freed extents by class, first in, first out, so that what is given never overwrites what is being taken.
template <backend B>
class free_lists {
 public:
  [[nodiscard]] class_counts counts() const noexcept {
    class_counts all{};
    for (std::uint32_t c = 0; c < size_classes; ++c) all[c] = lists_[c].count;
    return all;
  }

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
  [[nodiscard]] bool is_tight_for(const class_counts& more) const noexcept {
    page_turn all{};
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      if (more[c] != 0) add(all, c, std::uint64_t{lists_[c].count} + more[c]);
    }
    constexpr auto few = static_cast<std::uint32_t>(pages_left::few);
    return all.more + all.round > few || std::uint64_t{all.more} + few > lists_.spare().count;
  }

  /// Whether there is room, or nearly so, and no more pages have to be dealt than may be left.
  [[nodiscard]] bool suffices(const list_room& room, pages_left left) const noexcept {
    page_turn all{};
    for (std::uint32_t c = 0; c < room.classes; ++c) {
      if (most_pages_of(lists_[c], room, c) > lists_[c].places()) return false;
      add(all, c, room.certain[c]);
    }
    return all.more + all.round <= static_cast<std::uint32_t>(left) &&
           all.more + room.pages / 2 <= lists_.spare().count;
  }

  /// Makes sure that lists have room. @throws memory_error with all lists as they were
  void make_room(const resources<B>& res, const list_room& room, pages_left left) {
    if (suffices(room, left)) return;
    const class_counts kept = kept_for(room);
    const shortage lacking = shortage_of(room, unneeded(kept));
    if (lacking.pages != 0 || lacking.any_directory) grow(res, room, lacking);
    turn(res, {}, with_room_ahead(kept, room), counts(), list_pages::needed);
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
      lacking_ += lack_of(c, granted.given[c]);
    }
  }

 private:
  /// Adds what a grant would do for a list that is to have room for so many extents.
  void add(page_turn& all, std::uint32_t c, std::uint64_t extents) const noexcept {
    const page_turn turn = lists_[c].turn(0, extents, list_pages::all);
    all.more += turn.more;
    all.round += turn.round;
  }

  /// Pages that a list lacks for so many extents more.
  [[nodiscard]] std::uint32_t lack_of(std::uint32_t c, std::uint32_t more) const noexcept {
    return lists_[c].lacks(std::uint64_t{lists_[c].count} + more);
  }

  /// Pages that lists lack for so many extents.
  [[nodiscard]] std::uint64_t lack(const class_counts& extents) const noexcept {
    std::uint64_t pages = 0;
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      if (extents[c] != 0) pages += lists_[c].lacks(extents[c]);
    }
    return pages;
  }

  /// Extents to get pages for: those that are certain and as many times as many as are yet to come as there are pages
  /// for, which leaves as many spare. @param kept those for which lists have pages
  [[nodiscard]] class_counts with_room_ahead(const class_counts& kept, const list_room& room) const noexcept {
    for (std::uint32_t times = room.ahead; times != 0; times /= 2) {
      class_counts all = kept;
      for (std::uint32_t c = 0; c < room.classes; ++c) {
        const freed_extents::list list = lists_[c];
        const std::uint64_t certain = std::max<std::uint64_t>(room.certain[c], list.count);
        const std::uint64_t ahead = list.count + times * (certain - list.count);
        all[c] = static_cast<std::uint32_t>(list.pages_for(ahead) <= list.places() ? ahead : certain);
      }
      if (lack(all) <= lists_.spare().count / (times == 1 ? 1 : 2)) return all;
    }
    return kept;
  }

  /// Of the extents that are certain, those that lists have pages for.
  [[nodiscard]] class_counts kept_for(const list_room& room) const noexcept {
    class_counts kept = counts();
    for (std::uint32_t c = 0; c < room.classes; ++c) {
      const std::uint64_t wanted = std::max<std::uint64_t>(room.certain[c], lists_[c].count);
      kept[c] = static_cast<std::uint32_t>(std::min(wanted, lists_[c].room()));
    }
    return kept;
  }

  /// Pages that lists do not need for so many extents.
  [[nodiscard]] std::uint64_t unneeded(const class_counts& extents) const noexcept {
    std::uint64_t pages = 0;
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      const page_turn turn = lists_[c].turn(0, extents[c], list_pages::needed);
      pages += turn.front + turn.back;
    }
    return pages;
  }

  /// What there is too little of.
  struct shortage {
    std::uint64_t pages;
    bool any_directory;
  };

  [[nodiscard]] static std::uint32_t most_pages_of(const freed_extents::list& list, const list_room& room,
                                                   std::uint32_t c) {
    return list.pages_for(std::max(room.certain[c], room.possible[c]));
  }

  [[nodiscard]] shortage shortage_of(const list_room& room, std::uint64_t returned) const noexcept {
    shortage lacking{room.pages, false};
    for (std::uint32_t c = 0; c < room.classes; ++c) {
      const freed_extents::list list = lists_[c];
      lacking.pages += list.lacks(room.certain[c]);
      lacking.any_directory = lacking.any_directory || most_pages_of(list, room, c) > list.places();
    }
    lacking.pages -= std::min<std::uint64_t>(lacking.pages, lists_.spare().count + returned);
    return lacking;
  }

  /// Where one directory has to grow, all that would soon have to do: it takes the host as long as some launches.
  static std::uint32_t places_for(std::uint64_t pages, std::uint32_t there) {
    if (there != 0 && pages + pages / 2 <= there) return there;
    return static_cast<std::uint32_t>(std::bit_ceil(std::max<std::uint64_t>(2 * pages, freed_extents::least_places)));
  }

  /// Gets more spare pages, and larger directories. @throws memory_error with all lists as they were
  void grow(const resources<B>& res, const list_room& room, const shortage& lacking) {
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
      places[c] = places_for(most_pages_of(lists_[c], room, c), lists_[c].places());
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
