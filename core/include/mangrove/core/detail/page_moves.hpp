#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "mangrove/core/freed_extents.hpp"
#include "mangrove/core/strided_in_steps.hpp"

namespace mangrove::detail {

/// Pages that go from the spare ones to a list or back.
struct page_move {
  std::uint32_t size_class;
  std::uint32_t to_list;
  std::uint32_t page;   ///< of the list, counted as its directory's places are
  std::uint32_t spare;  ///< counted as the spare ones' are
  std::uint32_t count;
};

/// Moves pages, lanes sharing the work.
template <class Tile>
MANGROVE_HOST_DEVICE void move_pages(const Tile& tile, const freed_extents& lists, const page_move& what) {
  const freed_extents::list list = lists[what.size_class];
  const freed_extents::spare_pages spare = lists.spare();
  const auto in_list = [&](std::size_t k) { return list.directory + ((what.page + k) & list.mask); };
  const auto in_spare = [&](std::size_t k) { return spare.ring + ((what.spare + k) & spare.mask); };
  const bool to_list = what.to_list != 0;
  strided_in_steps<4, slab_index*>(
      tile, what.count, [&](std::size_t k, slab_index*& page) { page = *(to_list ? in_spare(k) : in_list(k)); },
      [&](std::size_t k, slab_index*& page) { *(to_list ? in_list(k) : in_spare(k)) = page; });
}

/// Calls `f` with what moves as a list turns its pages, one to three times.
/// @param dealt spare pages that are dealt before @param returned pages that are taken back before
template <class F>
MANGROVE_HOST_DEVICE void for_each_move(const freed_extents& lists, std::uint32_t size_class, const page_turn& turn,
                                        std::uint32_t dealt, std::uint32_t returned, const F& f) {
  const freed_extents::list list = lists[size_class];
  const freed_extents::spare_pages spare = lists.spare();
  const std::uint32_t behind = spare.head + spare.count + returned;
  if (turn.front != 0) f(page_move{size_class, 0, list.first, behind, turn.front});
  if (turn.back != 0) f(page_move{size_class, 0, list.first + list.pages - turn.back, behind + turn.front, turn.back});
  if (turn.more != 0) f(page_move{size_class, 1, list.first + list.pages, spare.head + dealt, turn.more});
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
