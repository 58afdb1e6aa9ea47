#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "mangrove/core/freed_extents.hpp"
#include "mangrove/core/strided_in_steps.hpp"

namespace mangrove::detail {

/// Places of pages, one after the other in a ring.
struct page_ring {
  slab_index** pages;
  std::uint32_t mask;   ///< places of the ring less one
  std::uint32_t first;  ///< counts on and on

  [[nodiscard]] MANGROVE_HOST_DEVICE slab_index*& operator[](std::size_t k) const { return pages[(first + k) & mask]; }
};

/// Puts `page(k)` in the k-th place, lanes sharing the work. Pages come from no place that they go to.
template <class Tile, class Page>
MANGROVE_HOST_DEVICE void put_pages(const Tile& tile, std::size_t count, const page_ring& to, Page page) {
  strided_in_steps<4, slab_index*>(
      tile, count, [&](std::size_t k, slab_index*& moved) { moved = page(k); },
      [&](std::size_t k, slab_index*& moved) { to[k] = moved; });
}

/// Where pages of a list go, or come from.
enum class page_way : std::uint32_t {
  from_front,  ///< from the list's first one on, to the spare ones
  from_back,   ///< up to the list's last one, to the spare ones
  to_back      ///< behind the list's last one: spare ones, then its own that go round
};

/// Pages that go one way.
struct page_move {
  std::uint32_t size_class;
  page_way way;
  std::uint32_t spare;  ///< the first of the spare ones' places, counted as these are
  std::uint32_t count;  ///< that have one
  std::uint32_t round;  ///< pages of the list that go round besides
};

/// Makes a move to the back of a list.
///
/// It writes only places where the list has no page, so that all is as it was where nobody books it. Where these do not
/// reach, the ring is full, and the next place is that of the list's first page: as many of the pages that go round as
/// are left stay where they are. It does not matter which of them comes where.
template <class Tile>
MANGROVE_HOST_DEVICE void put_behind(const Tile& tile, const freed_extents& lists, const page_move& what) {
  const freed_extents::list list = lists[what.size_class];
  const freed_extents::spare_pages spare = lists.spare();
  const std::uint32_t left = list.places() - list.pages - what.count;
  const std::uint32_t moved = what.round < left ? what.round : left;
  const page_ring dealt{spare.ring, spare.mask, what.spare};
  const page_ring read{list.directory, list.mask, list.first + what.round - moved};
  put_pages(tile, what.count + moved, page_ring{list.directory, list.mask, list.first + list.pages},
            [&](std::size_t k) { return k < what.count ? dealt[k] : read[k - what.count]; });
}

/// Moves pages, lanes sharing the work.
template <class Tile>
MANGROVE_HOST_DEVICE void move_pages(const Tile& tile, const freed_extents& lists, const page_move& what) {
  if (what.way == page_way::to_back) return put_behind(tile, lists, what);
  const freed_extents::list list = lists[what.size_class];
  const freed_extents::spare_pages spare = lists.spare();
  const std::uint32_t first = what.way == page_way::from_front ? list.first : list.first + list.pages - what.count;
  const page_ring left{list.directory, list.mask, first};
  put_pages(tile, what.count, page_ring{spare.ring, spare.mask, what.spare}, [&](std::size_t k) { return left[k]; });
}

/// Calls `f` with what moves as a list turns its pages, up to three times.
/// @param dealt spare pages that are dealt before @param returned pages that are taken back before
template <class F>
MANGROVE_HOST_DEVICE void for_each_move(const freed_extents& lists, std::uint32_t size_class, const page_turn& turn,
                                        std::uint32_t dealt, std::uint32_t returned, const F& f) {
  const freed_extents::spare_pages spare = lists.spare();
  const std::uint32_t behind = spare.head + spare.count + returned;
  if (turn.front != 0) f(page_move{size_class, page_way::from_front, behind, turn.front, 0});
  if (turn.back != 0) f(page_move{size_class, page_way::from_back, behind + turn.front, turn.back, 0});
  if ((turn.more | turn.round) != 0)
    f(page_move{size_class, page_way::to_back, spare.head + dealt, turn.more, turn.round});
}

/// Body, once per move: makes moves that the host has planned, which it has with it.
struct make_moves {
  static constexpr std::size_t most = 64;

  freed_extents lists;
  std::array<page_move, most> moves;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    move_pages(tile, lists, moves[i]);
  }
};

}  // namespace mangrove::detail
