#pragma once

#include "blink_check.hpp"
#include "blink_storage_impl.hpp"

namespace mangrove::detail {

template <backend B, class Key>
std::string blink_storage<B, Key>::check(const resources<B>& res) const {
  blink_image<Key> image;
  blink_nodes<Key> nodes = arena_.nodes();
  leaf_supply supply = arena_.supply();
  std::size_t inner = inner_nodes_for(leaves_);
  image.top = blink_root<Key>::top_of(height_, first_[height_]);
  if (open_ != nullptr) {
    const blink_root<Key> root = read_back(res, open_);
    image.top = root.top;
    if (root.inner_taken > root.inner_granted) return "more inner nodes were taken than granted";
    inner = root.inner_end + root.inner_taken;
    const std::uint32_t taken = std::min(root.leaves_taken, root.leaves_granted);
    const std::uint32_t reused = std::min(taken, supply.freed_count);
    supply.freed_count -= reused;
    supply.end += taken - reused;
  } else {
    image.order = to_host(res, order_.data(), leaves_);
  }
  image.leaf_keys = to_host(res, nodes.leaf_keys, std::size_t{supply.end} * view_type::slots);
  image.heads = to_host(res, nodes.heads, supply.end);
  image.inner_keys = to_host(res, nodes.inner_keys, inner * view_type::slots);
  image.children = to_host(res, nodes.inner_children, inner * view_type::slots);
  image.inner_states = to_host(res, nodes.inner_states, inner);
  image.freed = to_host(res, supply.freed, supply.freed_count);
  image.leaf_end = supply.end;
  image.size = size_;
  return check_image(image);
}

}  // namespace mangrove::detail
