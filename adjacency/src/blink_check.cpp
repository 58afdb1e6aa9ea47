#include "blink_check.hpp"

#include <algorithm>

namespace mangrove::detail {

namespace {

/// A check that stops at the first thing that is wrong.
template <class Key>
class checker {
 public:
  explicit checker(const blink_image<Key>& image) : image_(image) {}

  std::string run() {
    walk(static_cast<node_index>(image_.top), static_cast<std::uint32_t>(image_.top >> 32), 0, greatest);
    check_links();
    if (!image_.order.empty()) check_rest();
    check_freed();
    return wrong_;
  }

 private:
  static constexpr std::uint32_t slots = blink_nodes<Key>::slots;
  static constexpr Key greatest = blink_nodes<Key>::greatest;

  void expect(bool holds, const std::string& what, std::uint64_t node) {
    if (!holds && wrong_.empty()) wrong_ = what + " (node " + std::to_string(node) + ")";
  }

  /// Visits what is below an inner node, which holds keys from `low` to `high`.
  void walk(node_index node, std::uint32_t level, Key low, Key high) {
    if (!wrong_.empty()) return;
    if (level == 0) return check_leaf(node, low, high);
    expect(node < image_.inner_states.size(), "an inner node that does not exist", node);
    if (!wrong_.empty()) return;
    const std::uint32_t state = image_.inner_states[node];
    const std::uint32_t count = node_state::count(state);
    const Key* const keys = image_.inner_keys.data() + std::size_t{node} * slots;
    const node_index* const children = image_.children.data() + std::size_t{node} * slots;
    expect((state & node_state::lock) == 0, "a locked inner node", node);
    expect(count >= 1 && count <= slots, "an inner node without children", node);
    if (!wrong_.empty()) return;
    expect(keys[count - 1] == high, "an inner node's last separator is not its parent's", node);
    for (std::uint32_t slot = 0; slot < slots && wrong_.empty(); ++slot) {
      if (slot >= count) {
        expect(keys[slot] == greatest && children[slot] == children[count - 1], "an unused inner slot", node);
        continue;
      }
      expect(slot == 0 || keys[slot - 1] < keys[slot], "separators out of order", node);
      expect(low <= keys[slot], "a separator below its node's range", node);
      walk(children[slot], level - 1, low, keys[slot]);
      low = static_cast<Key>(keys[slot] + 1);
    }
  }

  void check_leaf(node_index leaf, Key low, Key high) {
    expect(leaf < image_.heads.size(), "a leaf that does not exist", leaf);
    if (!wrong_.empty()) return;
    const leaf_head<Key>& head = image_.heads[leaf];
    const std::uint32_t count = node_state::count(head.state);
    const Key* const keys = image_.leaf_keys.data() + std::size_t{leaf} * slots;
    expect((head.state & node_state::lock) == 0, "a locked leaf", leaf);
    expect(head.low == low, "a leaf's low key does not follow its left neighbour's high key", leaf);
    expect(head.high == high, "a leaf's high key is not its parent's separator", leaf);
    expect(count <= slots, "a leaf with more keys than slots", leaf);
    for (std::uint32_t slot = 0; slot < slots && wrong_.empty(); ++slot) {
      if (slot >= count) {
        expect(keys[slot] == greatest, "an unused leaf slot", leaf);
      } else {
        expect(slot == 0 || keys[slot - 1] < keys[slot], "keys of a leaf out of order", leaf);
        expect(keys[slot] >= low && keys[slot] <= high, "a key outside of its leaf's range", leaf);
      }
    }
    size_ += count;
    met_.push_back(leaf);
  }

  void check_links() {
    for (std::size_t i = 0; i < met_.size() && wrong_.empty(); ++i) {
      const node_index right = i + 1 == met_.size() ? no_node : met_[i + 1];
      expect(image_.heads[met_[i]].right == right, "a side link that does not lead to the next leaf", met_[i]);
    }
  }

  /// What holds at rest only.
  void check_rest() {
    expect(met_ == image_.order, "the order of leaves is not that of the inner nodes", 0);
    expect(size_ == image_.size, "the number of keys is not " + std::to_string(image_.size), size_);
    for (const node_index leaf : met_) {
      expect(met_.size() == 1 || node_state::count(image_.heads[leaf].state) != 0, "an empty leaf at rest", leaf);
    }
  }

  /// Every leaf is either in the tree or free, and once.
  void check_freed() {
    std::vector<node_index> all = met_;
    all.insert(all.end(), image_.freed.begin(), image_.freed.end());
    std::sort(all.begin(), all.end());
    expect(all.size() == image_.leaf_end, "leaves are lost, or there twice", all.size());
    for (std::size_t i = 0; i < all.size() && wrong_.empty(); ++i) expect(all[i] == i, "a leaf is lost or twice", i);
  }

  const blink_image<Key>& image_;
  std::string wrong_;
  std::vector<node_index> met_;
  std::uint64_t size_ = 0;
};

}  // namespace

template <class Key>
std::string check_image(const blink_image<Key>& image) {
  return checker<Key>(image).run();
}

template std::string check_image(const blink_image<std::uint32_t>&);
template std::string check_image(const blink_image<std::uint64_t>&);

}  // namespace mangrove::detail
