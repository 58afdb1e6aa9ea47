#pragma once

#include "mangrove/adjacency/detail/blink_root.hpp"
#include "mangrove/adjacency/detail/blink_view.hpp"

namespace mangrove::detail {

/// Body, once per inner node of all levels, or oftener: its separators and children, as the order of leaves says.
template <class Key>
struct build_inner_node {
  static constexpr std::uint32_t fanout = blink_view<Key>::fanout;
  blink_nodes<Key> nodes;
  const node_index* order;
  std::uint32_t leaves;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    node_index first = 0;            // of the level
    node_index first_below = 0;      // of the level below
    std::uint32_t below = leaves;    // nodes there
    std::uint64_t leaves_below = 1;  // of a whole child
    std::uint32_t here = (below + fanout - 1) / fanout;
    while (i - first >= here) {
      if (here == 1) return;
      first_below = first;
      first += here;
      below = here;
      here = (below + fanout - 1) / fanout;
      leaves_below *= fanout;
    }
    const std::uint32_t begin = (static_cast<std::uint32_t>(i) - first) * fanout;
    const std::uint32_t count = below - begin < fanout ? below - begin : fanout;
    const auto node = static_cast<node_index>(i);
    tile.strided(blink_view<Key>::slots, [&](std::size_t slot) {
      const std::uint64_t child = begin + (slot < count ? slot : count - 1);
      const std::uint64_t end = (child + 1) * leaves_below;
      const std::uint64_t last_leaf = (end < leaves ? end : leaves) - 1;
      nodes.keys_of_inner(node)[slot] = slot < count ? nodes.heads[order[last_leaf]].high : blink_nodes<Key>::greatest;
      nodes.children_of(node)[slot] = leaves_below == 1 ? order[child] : first_below + static_cast<node_index>(child);
    });
    if (tile.lane() == 0) nodes.inner_states[i] = node_state::of(count);
  }
};

/// Body, once per leaf in order: links and bounds that follow from the order.
template <class Key>
struct link_leaf {
  blink_nodes<Key> nodes;
  const node_index* order;
  std::uint32_t leaves;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    leaf_head<Key>& head = nodes.heads[order[i]];
    head.low = i == 0 ? Key{0} : static_cast<Key>(nodes.heads[order[i - 1]].high + 1);
    if (i + 1 == leaves) {
      head.right = no_node;
      head.high = blink_nodes<Key>::greatest;  // nobody reads the high key of the last leaf here
    } else {
      head.right = order[i + 1];
    }
  }
};

/// Body, once per leaf in order: how many keys it has.
template <class Key>
struct count_leaf {
  blink_nodes<Key> nodes;
  const node_index* order;
  std::uint64_t* counts;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    counts[i] = nodes.count_of(order[i]);
  }
};

/// Body, once: makes a leaf empty.
template <class Key>
struct empty_leaf {
  blink_nodes<Key> nodes;
  node_index* order;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t) const {
    tile.strided(blink_nodes<Key>::slots,
                 [&](std::size_t slot) { nodes.keys_of(0)[slot] = blink_nodes<Key>::greatest; });
    if (tile.lane() != 0) return;
    nodes.heads[0] = {node_state::of(0), no_node, 0, blink_nodes<Key>::greatest};
    order[0] = 0;
  }
};

/// Body, once per leaf in order: keeps it, or gives it back.
struct sort_out_leaf {
  const node_index* from;
  const std::uint32_t* kept_before;
  node_index* kept;
  node_index* freed;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const std::uint32_t before = kept_before[i];
    if (kept_before[i + 1] != before) {
      kept[before] = from[i];
    } else {
      freed[i - before] = from[i];
    }
  }
};

}  // namespace mangrove::detail
