#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "mangrove/core/slab_size.hpp"

/// @file
/// A pool's lists of freed extents, one for each size class, first in, first out. They are in pages, and all lists get
/// theirs from the same spare ones: how many extents of which class a batch gives back is known late, and room in every
/// list for as many as there may be of its class takes several times the memory of what all lists hold.

namespace mangrove {

/// Extents on a page of a list: 2 KiB. A list may waste most of a page at either end, and there are some hundred.
inline constexpr std::uint32_t page_extents = 512;

/// Where a list has one of its extents.
/// @param directory a ring of its pages @param mask places of the ring less one
/// @param position of the extent among all that ever were in the list, modulo 2^32
[[nodiscard]] MANGROVE_HOST_DEVICE inline slab_index* page_slot(slab_index* const* directory, std::uint32_t mask,
                                                                std::uint32_t position) {
  return directory[position / page_extents & mask] + position % page_extents;
}

/// Which pages a list keeps where it gets others.
enum class list_pages : std::uint32_t {
  all,    ///< and those that it has read to their end serve again before it gets any
  needed  ///< from the head on, for so many extents as it shall have room for
};

/// How many pages leave a list, come to it, and serve again.
struct page_turn {
  std::uint32_t front;  ///< leave: they were read to their end
  std::uint32_t back;   ///< leave: they are behind what it needs room for
  std::uint32_t more;   ///< come, behind its last one
  std::uint32_t round;  ///< go round: they were read to their end, and come behind those
};

/// All lists, by value. Packed, since a launch takes the host and the device longer the more parameters it has: a
/// microsecond for 6 KB.
class freed_extents {
 public:
  struct list {
    slab_index** directory;  ///< a ring of its pages
    std::uint32_t mask;      ///< places of the directory, a power of two or 0, less one
    std::uint32_t head;      ///< position of the first extent; counts on and on
    std::uint32_t count;     ///< extents
    std::uint32_t first;     ///< number of its first page; counts on and on; pages before the head's have been read
    std::uint32_t pages;     ///< that it has

    /// The k-th extent, from the head; where pages are, also behind the last one.
    [[nodiscard]] MANGROVE_HOST_DEVICE slab_index& operator[](std::uint32_t k) const {
      return *page_slot(directory, mask, head + k);
    }
    [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t places() const { return mask + 1; }
    /// Pages that it has once there is room for so many extents from the head on.
    [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t pages_for(std::uint64_t extents) const {
      const std::uint64_t from_head = (head % page_extents + extents + page_extents - 1) / page_extents;
      return pages_read(head) + static_cast<std::uint32_t>(from_head);
    }
    /// Extents from the head on that its pages have room for.
    [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t room() const {
      return std::uint64_t{pages - pages_read(head)} * page_extents - head % page_extents;
    }
    /// Pages that it lacks for so many extents.
    [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t lacks(std::uint64_t extents) const {
      const std::uint32_t needed = pages_for(extents);
      return needed > pages ? needed - pages : 0;
    }
    /// What becomes of its pages.
    /// @param taken extents, before that, from the head; where it keeps all, these are still to be read
    /// @param extents to have room for, with those that are taken
    [[nodiscard]] MANGROVE_HOST_DEVICE page_turn turn(std::uint32_t taken, std::uint64_t extents,
                                                      list_pages keeps) const {
      const std::uint32_t lacking = lacks(extents);
      if (keeps == list_pages::all) {
        const std::uint32_t read = pages_read(head);
        const std::uint32_t round = lacking < read ? lacking : read;
        return {0, 0, lacking - round, round};
      }
      const std::uint32_t needed = pages_for(extents);
      return {pages_read(head + taken), needed < pages ? pages - needed : 0, lacking, 0};
    }

    /// Pages before the one with a position.
    [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t pages_read(std::uint32_t position) const {
      return (position / page_extents - first) % (~0U / page_extents + 1);
    }
  };

  /// Pages that no list has, in a ring: dealt from the head, and taken back behind the last one.
  struct spare_pages {
    slab_index** ring;
    std::uint32_t mask;  ///< places of the ring less one
    std::uint32_t head;  ///< counts on and on
    std::uint32_t count;
  };

  /// A directory has so many places at least; all begin at multiples.
  static constexpr std::uint32_t least_places = 16;
  static constexpr std::uint64_t most_places = std::uint64_t{least_places} << 27;

  freed_extents() = default;
  /// @param directories memory of all of them, and of the ring of spare pages
  explicit freed_extents(slab_index** directories) : directories_(directories) {}

  [[nodiscard]] MANGROVE_HOST_DEVICE list operator[](std::size_t size_class) const {
    const packed_list& of = lists_[size_class];
    const std::uint32_t log = of.place & ((1U << log_bits) - 1);
    slab_index** const directory = directories_ + std::uint64_t{of.place >> log_bits} * least_places;
    return {directory, log == 0 ? ~0U : (1U << log) - 1, of.head, of.count, of.first, of.pages};
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE spare_pages spare() const {
    return {directories_ + spare_first_, spare_mask_, spare_head_, spare_count_};
  }

  /// Becomes a copy, lanes sharing the work.
  template <class Tile>
  MANGROVE_HOST_DEVICE void copy(const Tile& tile, const freed_extents& from) {
    tile.strided(size_classes, [&](std::size_t c) { lists_[c] = from.lists_[c]; });
    if (tile.lane() != 0) return;
    directories_ = from.directories_;
    spare_first_ = from.spare_first_;
    spare_mask_ = from.spare_mask_;
    spare_head_ = from.spare_head_;
    spare_count_ = from.spare_count_;
  }

  /// Sets a list, which has what another one has. @param first place of its directory, among those of all
  void set(std::uint32_t size_class, std::uint64_t first, std::uint32_t places, const list& as) noexcept {
    const auto log = static_cast<std::uint32_t>(std::bit_width(places)) - 1;
    const std::uint32_t place = static_cast<std::uint32_t>(first / least_places) << log_bits | log;
    lists_[size_class] = {place, as.head, as.count, as.first, as.pages};
  }

  /// Sets the spare pages. @param first place of their ring, which begins with them
  void set_spare(std::uint64_t first, std::uint32_t places, std::uint32_t count) noexcept {
    spare_first_ = first;
    spare_mask_ = places - 1;
    spare_head_ = 0;
    spare_count_ = count;
  }

  /// Books that there are so many spare pages more.
  void book_spare(std::uint32_t pages) noexcept { spare_count_ += pages; }

  /// Books that some extents were taken from a list's head, and so many are in it now.
  /// @param extents that it got the pages for which it lacked @param keeps those that it does not need
  void book(std::uint32_t size_class, std::uint32_t taken, std::uint64_t extents, std::uint32_t now,
            list_pages keeps) noexcept {
    const page_turn turned = (*this)[size_class].turn(taken, extents, keeps);
    packed_list& of = lists_[size_class];
    of.head += taken;
    of.count = now;
    of.first += turned.front + turned.round;
    of.pages += turned.more - turned.front - turned.back;
    spare_head_ += turned.more;
    spare_count_ += turned.front + turned.back - turned.more;
  }

 private:
  static constexpr std::uint32_t log_bits = 5;

  struct packed_list {
    std::uint32_t place;  ///< its directory's first place, in `least_places`, and the logarithm of its places
    std::uint32_t head;
    std::uint32_t count;
    std::uint32_t first;
    std::uint32_t pages;
  };

  slab_index** directories_ = nullptr;
  std::uint64_t spare_first_ = 0;
  std::uint32_t spare_mask_ = 0;
  std::uint32_t spare_head_ = 0;
  std::uint32_t spare_count_ = 0;
  std::array<packed_list, size_classes> lists_{};
};

}  // namespace mangrove
