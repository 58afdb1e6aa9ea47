#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "blink_group_bodies.hpp"
#include "blink_index_bodies.hpp"
#include "mangrove/adjacency/detail/blink_storage.hpp"
#include "ordered_batch.hpp"
#include "ordered_query_impl.hpp"

/// @file
/// Memory and index of a B-link tree. The definitions are for the libraries' sources, which include
/// `core/for_each.hpp` or `core/for_each.cuh` before them.

namespace mangrove::detail {

/// Lanes that go over many leaves.
inline constexpr int sweep_lanes = 32;

template <backend B, class Key>
blink_storage<B, Key>::blink_storage(const resources<B>& res, const blink_options& options, key_order order,
                                     std::uint32_t value_bytes)
    : options_(options), codec_{order}, arena_(res, value_bytes), tally_(res), root_(res), claimed_(res), dealt_(res) {
  if (!(options.fill >= 0.25 && options.fill <= 1)) {
    throw usage_error("a B-link tree's leaves are filled by 0.25 to 1, not by " + std::to_string(options.fill));
  }
  clear(res);
}

template <backend B, class Key>
std::uint64_t blink_storage<B, Key>::keys_per_leaf() const {
  return static_cast<std::uint64_t>(options_.fill * view_type::slots);
}

template <backend B, class Key>
std::size_t blink_storage<B, Key>::inner_nodes_for(std::size_t leaves) {
  std::size_t all = 0;
  do {
    leaves = (leaves + view_type::fanout - 1) / view_type::fanout;
    all += leaves;
  } while (leaves > 1);
  return all;
}

template <backend B, class Key>
auto blink_storage<B, Key>::raw_view() const -> view_type {
  view_type view{arena_.nodes(), codec_, order_.data(), leaves_, height_, {}};
  std::copy(std::begin(first_), std::end(first_), view.first);
  return view;
}

template <backend B, class Key>
auto blink_storage<B, Key>::view() const -> view_type {
  require_rest();
  return raw_view();
}

template <backend B, class Key>
void blink_storage<B, Key>::require_rest() const {
  if (open_ != nullptr) throw usage_error("tiles may have changed this B-link tree: call settle() before asking it");
}

template <backend B, class Key>
std::size_t blink_storage<B, Key>::size() const {
  require_rest();
  return size_;
}

template <backend B, class Key>
std::size_t blink_storage<B, Key>::bytes() const noexcept {
  return arena_.bytes() + order_.size() * sizeof(node_index) + claims_.bytes() + bins_.bytes();
}

/// Makes the tree one empty leaf, whose memory is there. @param order room for a leaf or more
template <backend B, class Key>
void blink_storage<B, Key>::become_empty(const resources<B>& res, buffer<B, node_index> order) {
  arena_.restart(1);
  for_each_tile<leaf_lanes>(res, 1, empty_leaf<Key>{arena_.nodes(), order.data()});
  build_index(res, std::move(order), 1);
  size_ = 0;
  open_ = nullptr;
}

template <backend B, class Key>
void blink_storage<B, Key>::clear(const resources<B>& res) {
  buffer<B, node_index> order(res, 1);
  arena_.secure_leaf_numbers(1);
  arena_.secure_inner(1);
  become_empty(res, std::move(order));
  res.synchronize();
}

template <backend B, class Key>
void blink_storage<B, Key>::reserve(const resources<B>& res, std::size_t keys) {
  settle(res);
  const std::size_t leaves = keys / keys_per_leaf() + 1;
  if (leaves > leaves_) arena_.secure_leaves(leaves - leaves_);
  arena_.secure_inner(inner_nodes_for(leaves));
}

/// Builds all levels of inner nodes, whose memory is there, above leaves in an order.
template <backend B, class Key>
void blink_storage<B, Key>::build_index(const resources<B>& res, buffer<B, node_index> order, std::uint32_t leaves) {
  become_indexed(std::move(order), leaves);
  for_each_tile<leaf_lanes>(res, inner_nodes_for(leaves), build_inner_node<Key>{arena_.nodes(), order_.data(), leaves});
}

/// Takes over leaves in an order, whose inner nodes are there, or will be.
template <backend B, class Key>
void blink_storage<B, Key>::become_indexed(buffer<B, node_index> order, std::uint32_t leaves) {
  order_ = std::move(order);
  leaves_ = leaves;
  height_ = 0;
  std::uint32_t next = 0;
  std::uint64_t nodes = leaves;
  do {
    nodes = (nodes + view_type::fanout - 1) / view_type::fanout;
    first_[++height_] = next;
    next += static_cast<std::uint32_t>(nodes);
  } while (nodes > 1);
}

/// Keeps the leaves of `order` that `kept_before` counts, gives the others back, and builds the index anew.
/// @param kept_before [dim = leaves + 1], on the device
/// @param order room for `kept` leaves
template <backend B, class Key>
void blink_storage<B, Key>::drop_leaves(const resources<B>& res, const std::uint32_t* kept_before, std::uint32_t kept,
                                        buffer<B, node_index> order) {
  for_each_tile<1>(res, leaves_, sort_out_leaf{order_.data(), kept_before, order.data(), arena_.give_to()});
  arena_.gave(leaves_ - kept);
  for_each_tile<1>(res, kept, link_leaf<Key>{arena_.nodes(), order.data(), kept});
  build_index(res, std::move(order), kept);
}

}  // namespace mangrove::detail
