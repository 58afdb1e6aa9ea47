#pragma once

#include "mangrove/adjacency/detail/sorted_array_storage.hpp"
#include "mangrove/adjacency/ordered_container.hpp"
#include "mangrove/adjacency/ordered_view.hpp"

namespace mangrove {

/// An ordered map, or with `none` as values a set, in a backend's memory: keys in one sorted array, values in another.
/// Movable, not copyable.
///
/// `ordered_container` has its operations on arrays; tiles read the array through `view()`. Every batch that changes
/// the number of keys moves all of them, into a second pair of arrays, so that batches should be large. In return keys
/// take no more than their bytes twice, and searches and ranges are as fast as can be. At most 2^32 - 128 keys.
template <backend B, class Key, class Value = none>
class sorted_array : public ordered_container<B, Key, Value, detail::sorted_array_storage<B, detail::key_bits<Key>>> {
  using storage = detail::sorted_array_storage<B, detail::key_bits<Key>>;
  using container = ordered_container<B, Key, Value, storage>;

 public:
  using view_type = ordered_view<Key, Value, detail::sorted_array_view<detail::key_bits<Key>>>;

  /// An empty array. @throws memory_error
  explicit sorted_array(const resources<B>& res) : container(storage(res, key_order_of<Key>, container::value_bytes)) {}

  /// A handle for tiles that read while nobody changes the array, valid until the next change.
  [[nodiscard]] view_type view() const { return view_type(this->storage_.view()); }
};

}  // namespace mangrove
