// Included once per instruction set (see hwy/foreach_target.h).
#if defined(MANGROVE_BS_TREE_CHECK_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MANGROVE_BS_TREE_CHECK_INL
#undef MANGROVE_BS_TREE_CHECK_INL
#else
#define MANGROVE_BS_TREE_CHECK_INL
#endif

#include <string>

#include "bs_tree_impl-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mangrove::detail::HWY_NAMESPACE {

/// @param low the greatest key that belongs further left, null when none does
template <class Key, class Bits, bool Compressed, bool Shared>
std::string bs_tree_impl<Key, Bits, Compressed, Shared>::check_leaf(bs_node node, const Key* low, Key high,
                                                                    std::size_t& keys) const {
  const std::string name = "leaf " + std::to_string(node) + ": ";
  if (holds_nothing()) return root_levels(root()) == 0 ? "" : name + "is in a tree of several levels without keys";
  return with_leaf(node, [&](const auto& leaf) -> std::string {
    using leaf_type = std::remove_cvref_t<decltype(leaf)>;
    const std::uint64_t used = leaf.used();
    if (used == 0) return root_levels(root()) == 0 ? "" : name + "is empty";
    if ((used & ~leaf_type::all) != 0) return name + "marks slots that it does not have";
    if ((used >> (leaf_type::slots - 1) & 1) == 0) return name + "the last slot is not used";
    if constexpr (Shared) {
      if (lock::locked(bs_get<true>(leaf_lock(node)))) return name + "is locked";
    }
    for (int slot = 0; slot < leaf_type::slots; ++slot) {
      const std::string place = name + "slot " + std::to_string(slot) + " ";
      const Key key = leaf.key_at(slot);
      if (leaf_type::framed && key < leaf.base()) return place + "is beyond the greatest key";
      if ((low != nullptr && key <= *low) || key > high) return place + "holds a key that does not belong here";
      if (slot + 1 == leaf_type::slots) break;
      const Key next = leaf.key_at(slot + 1);
      const bool is_used = (used >> slot & 1) != 0;
      if (is_used && key >= next) return place + "is used, but not less than the next";
      if (!is_used && key != next) return place + "is a gap, but does not repeat the next";
    }
    keys += static_cast<std::size_t>(std::popcount(used));
    return "";
  });
}

template <class Key, class Bits, bool Compressed, bool Shared>
std::string bs_tree_impl<Key, Bits, Compressed, Shared>::check_node(bs_node node, int levels, const Key* low, Key high,
                                                                    std::size_t& keys, std::size_t& nodes) const {
  ++nodes;
  if (levels == 0) return check_leaf(node, low, high, keys);
  const std::string name = "inner node " + std::to_string(node) + ": ";
  const inner& here = *inner_at(node);
  const int count = static_cast<int>(here.count);
  if (count > inner::separators) return name + "has more separators than places";
  if (lock::locked(here.version)) return name + "is locked";
  for (int i = count; i < inner::separators; ++i) {
    if (separator_at(&here, i) != greatest) return name + "an unused separator is not the greatest key";
  }
  Key before{};
  for (int i = 0; i <= count; ++i) {
    const Key child_high = i == count ? high : separator_at(&here, i);
    if (child_high > high || (low != nullptr && child_high <= *low)) return name + "separators are out of order";
    std::string wrong = check_node(here.children[i], levels - 1, low, child_high, keys, nodes);
    if (!wrong.empty()) return wrong;
    before = child_high;
    low = &before;
  }
  return "";
}

template <class Key, class Bits, bool Compressed, bool Shared>
std::string bs_tree_impl<Key, Bits, Compressed, Shared>::check() const {
  std::size_t keys = 0;
  std::size_t nodes = 0;
  std::string wrong = check_node(root_node(root()), root_levels(root()), nullptr, greatest, keys, nodes);
  if (!wrong.empty()) return wrong;
  if (keys != size()) return std::to_string(keys) + " keys in leaves, but the size is " + std::to_string(size());
  const bs_tree_statistics in_use = statistics();
  const std::size_t taken = in_use.inner_nodes + in_use.leaves;
  if (nodes != taken) return std::to_string(nodes) + " nodes in the tree, but " + std::to_string(taken) + " are taken";
  return "";
}

}  // namespace mangrove::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
