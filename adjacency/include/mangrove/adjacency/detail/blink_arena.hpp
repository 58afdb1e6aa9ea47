#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "mangrove/adjacency/detail/blink_nodes.hpp"
#include "mangrove/adjacency/detail/blink_root.hpp"
#include "mangrove/adjacency/detail/grow_generously.hpp"

namespace mangrove::detail {

/// Memory of a tree's nodes: arrays that grow in place, and leaves that were given back. Not thread-safe.
template <backend B, class Key>
class blink_arena {
 public:
  using nodes_type = blink_nodes<Key>;
  static constexpr std::size_t most_leaves = std::size_t{1} << 28;
  static constexpr std::size_t most_inner = std::size_t{1} << 26;

  blink_arena(const resources<B>& res, std::uint32_t value_bytes)
      : value_bytes_(value_bytes),
        leaf_keys_(res, most_leaves * nodes_type::slots),
        leaf_values_(res, most_leaves * nodes_type::slots * value_bytes),
        heads_(res, most_leaves),
        freed_(res, most_leaves),
        inner_keys_(res, most_inner * nodes_type::slots),
        inner_children_(res, most_inner * nodes_type::slots),
        inner_states_(res, most_inner) {}

  [[nodiscard]] nodes_type nodes() const noexcept {
    return {leaf_keys_.data(),      leaf_values_.data(),  heads_.data(), inner_keys_.data(),
            inner_children_.data(), inner_states_.data(), value_bytes_};
  }

  /// Makes sure that `more` leaves can be taken. @throws memory_error with nothing changed
  void secure_leaves(std::size_t more) {
    const std::size_t fresh = more > freed_count_ ? more - freed_count_ : 0;
    secure_leaf_numbers(end_ + fresh);
  }

  /// Makes sure that leaves below `end` have memory.
  void secure_leaf_numbers(std::size_t end) {
    grow_generously(heads_, end);
    grow_generously(freed_, end);
    grow_generously(leaf_keys_, end * nodes_type::slots);
    grow_generously(leaf_values_, end * nodes_type::slots * value_bytes_);
  }

  void secure_inner(std::size_t nodes) {
    grow_generously(inner_states_, nodes);
    grow_generously(inner_keys_, nodes * nodes_type::slots);
    grow_generously(inner_children_, nodes * nodes_type::slots);
  }

  [[nodiscard]] leaf_supply supply() const noexcept { return {freed_.data(), freed_count_, end_}; }

  /// Books that the first `count` leaves of the supply were taken.
  void take(std::uint32_t count) noexcept {
    const std::uint32_t reused = std::min(count, freed_count_);
    freed_count_ -= reused;
    end_ += count - reused;
  }

  /// Where leaves that are given back are written to.
  [[nodiscard]] node_index* give_to() const noexcept { return freed_.data() + freed_count_; }
  void gave(std::uint32_t count) noexcept { freed_count_ += count; }

  /// Forgets all leaves; then leaves below `end` are in use.
  void restart(node_index end) noexcept {
    freed_count_ = 0;
    end_ = end;
  }

  /// Leaves that can be taken without asking for memory.
  [[nodiscard]] std::size_t leaves_at_hand() const noexcept {
    std::size_t room = std::min({heads_.size(), freed_.size(), leaf_keys_.size() / nodes_type::slots});
    if (value_bytes_ != 0) room = std::min(room, leaf_values_.size() / (nodes_type::slots * value_bytes_));
    return freed_count_ + (room - end_);
  }

  /// Leaves that there is memory for.
  [[nodiscard]] std::size_t leaf_room() const noexcept { return heads_.size(); }
  [[nodiscard]] node_index end() const noexcept { return end_; }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return leaf_keys_.bytes() + leaf_values_.bytes() + heads_.bytes() + freed_.bytes() + inner_keys_.bytes() +
           inner_children_.bytes() + inner_states_.bytes();
  }

 private:
  std::uint32_t value_bytes_;
  growable_array<B, Key> leaf_keys_;
  growable_array<B, std::byte> leaf_values_;
  growable_array<B, leaf_head<Key>> heads_;
  growable_array<B, node_index> freed_;  ///< the last `freed_count_` given back are taken first
  growable_array<B, Key> inner_keys_;
  growable_array<B, node_index> inner_children_;
  growable_array<B, std::uint32_t> inner_states_;
  std::uint32_t freed_count_ = 0;
  node_index end_ = 0;
};

}  // namespace mangrove::detail
