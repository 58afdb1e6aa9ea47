#pragma once

#include "blink_settle_bodies.hpp"
#include "blink_storage_impl.hpp"
#include "mangrove/core/bulk.hpp"

namespace mangrove::detail {

/// How many nodes `inserts` inserts by tiles may add. A split leaves halves, so that the next split of a half takes
/// half a node of inserts; nodes that are there may be split by the first insert that they see.
struct node_bound {
  std::size_t leaves;
  std::size_t inner;

  static node_bound of(std::size_t inserts, std::size_t leaves, std::size_t slots, std::size_t fanout) {
    const auto splits = [&](std::size_t causes, std::size_t nodes) {
      return std::min(causes, nodes) + causes / (slots / 2) + 1;
    };
    const std::size_t more = splits(inserts, leaves);
    std::size_t inner = 0;
    std::size_t nodes = leaves;
    for (std::size_t causes = more; causes > 1 || nodes > 1;) {
      nodes = (nodes + fanout - 1) / fanout;
      causes = splits(causes, nodes);
      inner += causes;
      if (nodes == 1 && causes <= 2) break;
    }
    return {more, inner + 32};  // and new roots, one a level
  }
};

template <backend B, class Key>
blink_root<Key>* blink_storage<B, Key>::open(const resources<B>& res, std::size_t inserts) {
  settle(res);
  const std::size_t inner = inner_nodes_for(leaves_);
  const node_bound bound = node_bound::of(inserts, leaves_, view_type::slots, view_type::fanout);
  arena_.secure_leaves(bound.leaves);
  arena_.secure_inner(std::max(inner + bound.inner, inner_nodes_for(leaves_ + bound.leaves)));
  blink_root<Key> root{};
  root.top = blink_root<Key>::top_of(height_, first_[height_]);
  root.leaves_granted = static_cast<std::uint32_t>(bound.leaves);
  root.inner_granted = static_cast<std::uint32_t>(bound.inner);
  root.inner_end = static_cast<node_index>(inner);
  root.leaves = arena_.supply();
  copy(res, root_.data(), &root, 1);
  res.synchronize();
  open_ = root_.data();
  return root_.data();
}

template <backend B, class Key>
void blink_storage<B, Key>::settle(const resources<B>& res) {
  if (open_ == nullptr) return;
  const blink_root<Key> root = root_.fetch(res);
  buffer<B, node_index> order = leaves_below(res, root.top);
  const std::size_t leaves = order.size();
  buffer<B, std::uint32_t> filled(res, leaves);
  buffer<B, std::uint32_t> filled_before(res, leaves + 1);
  buffer<B, std::uint64_t> counts(res, leaves);
  buffer<B, node_index> kept(res, leaves);
  arena_.secure_inner(inner_nodes_for(leaves));
  for_each_tile<1>(res, leaves, count_leaf<Key>{arena_.nodes(), order.data(), counts.data()});
  for_each_tile<1>(res, leaves, mark_filled{counts.data(), filled.data()});
  exclusive_scan(res, filled.data(), filled_before.data(), leaves);
  const std::uint32_t left = read_back(res, filled_before.data() + leaves);
  const std::uint64_t keys = sum(res, counts.data(), leaves);
  // From here on nothing can fail.
  arena_.take(std::min(root.leaves_taken, root.leaves_granted));
  order_ = std::move(order);
  leaves_ = static_cast<std::uint32_t>(leaves);
  size_ = keys;
  open_ = nullptr;
  if (left == 0) {
    become_empty(res, std::move(kept));
  } else {
    drop_leaves(res, filled_before.data(), left, std::move(kept));
  }
  repack_if_sparse(res);
  res.synchronize();
}

/// The leaves from left to right, as inner nodes that tiles have changed tell.
template <backend B, class Key>
buffer<B, node_index> blink_storage<B, Key>::leaves_below(const resources<B>& res, std::uint64_t top) const {
  const auto node = static_cast<node_index>(top);
  buffer<B, node_index> nodes = make_buffer<B>(res, &node, 1);
  for (auto level = static_cast<std::uint32_t>(top >> 32); level != 0; --level) {
    buffer<B, std::uint32_t> counts(res, nodes.size());
    buffer<B, std::uint32_t> before(res, nodes.size() + 1);
    for_each_tile<1>(res, nodes.size(), count_children<Key>{arena_.nodes(), nodes.data(), counts.data()});
    exclusive_scan(res, counts.data(), before.data(), nodes.size());
    buffer<B, node_index> children(res, read_back(res, before.data() + nodes.size()));
    for_each_tile<leaf_lanes>(res, nodes.size(),
                              list_children<Key>{arena_.nodes(), nodes.data(), before.data(), children.data()});
    nodes = std::move(children);
  }
  return nodes;
}

}  // namespace mangrove::detail
