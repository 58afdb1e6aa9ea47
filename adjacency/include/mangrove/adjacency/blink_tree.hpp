#pragma once

#include <cstddef>

#include "mangrove/adjacency/blink_options.hpp"
#include "mangrove/adjacency/blink_tree_ref.hpp"
#include "mangrove/adjacency/blink_tree_view.hpp"
#include "mangrove/adjacency/detail/blink_storage.hpp"
#include "mangrove/adjacency/ordered_container.hpp"

namespace mangrove {

/// An ordered map, or with `none` as values a set, in a backend's memory: a B+-tree whose leaves are linked. Movable,
/// not copyable.
///
/// `ordered_container` has its operations on arrays. Tiles read the tree through `view()`; they change it, and read it
/// meanwhile, between `open` and `settle`. Until it is settled, by `settle` or by any operation that changes the tree,
/// const operations throw `usage_error`. Queries in order share their way down: on a GPU they are several times as
/// fast.
template <backend B, class Key, class Value = none>
class blink_tree : public ordered_container<B, Key, Value, detail::blink_storage<B, detail::key_bits<Key>>> {
  using storage = detail::blink_storage<B, detail::key_bits<Key>>;
  using container = ordered_container<B, Key, Value, storage>;

 public:
  using view_type = blink_tree_view<Key, Value>;
  using ref_type = blink_tree_ref<Key, Value>;

  /// An empty tree. @throws usage_error on bad options
  explicit blink_tree(const resources<B>& res, const blink_options& options = {})
      : container(storage(res, options, key_order_of<Key>, container::value_bytes)) {}

  /// Number of leaves in use.
  [[nodiscard]] std::size_t leaves() const noexcept { return this->storage_.leaves(); }

  /// A handle for tiles that read while nobody changes the tree, valid until the next change.
  [[nodiscard]] view_type view() const { return view_type(this->storage_.view()); }

  /// Lets tiles change the tree until it is settled, with memory for `inserts` calls of insert; erases need none.
  /// @return a handle for tiles, valid until the tree is settled @throws memory_error with the tree as it was
  [[nodiscard]] ref_type open(const resources<B>& res, std::size_t inserts) {
    detail::blink_root<detail::key_bits<Key>>* const root = this->storage_.open(res, inserts);
    return ref_type(this->storage_.nodes(), root);
  }

  /// Brings the tree to rest after tiles have changed it: drops empty leaves, builds the inner nodes anew, counts the
  /// keys. Does nothing at rest. @throws memory_error; then it may be called again
  void settle(const resources<B>& res) { this->storage_.settle(res); }
};

}  // namespace mangrove
