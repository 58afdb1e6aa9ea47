#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "mangrove/adjacency/detail/concurrent_table.hpp"
#include "mangrove/adjacency/detail/value_bits.hpp"

namespace mangrove {

/// A slab hash map, or a set when `Value` is `none`, as bodies, kernels and lambdas see it: trivially copyable, taken
/// by value, valid until its owner is destroyed or next grows, is rehashed or flushed. Every value of the key type is a
/// valid key.
///
/// All functions that take a tile must be called by all its lanes with the same arguments and return the same in all.
/// Any tiles may call any of them at the same time; each takes effect at one moment between its call and its return:
///
/// | at the same time, on one key | what happens |
/// | --- | --- |
/// | insert, insert | exactly one inserts, with its value; the others find that the key exists |
/// | insert_or_assign, any insert | at most one inserts; the value is the last one assigned, if any was |
/// | erase, erase | exactly one erases |
/// | erase, insert or insert_or_assign | as if one came first; an assignment may be erased at once |
/// | find or contains, any | the key with a value that was given to it whole, or nothing, as of some moment during the
/// call | | for_each, any | a key that is there all the time is met once, one that is never there not at all, others
/// maybe |
///
/// Operations on different keys do not affect each other. What a tile wrote before it inserted or assigned a value is
/// visible to a tile that finds the value. Searches never wait, inserts wait only for an insert into the same bucket
/// that is half done; of the three largest values of the key type, searches too may wait for a writer of that same key.
/// Erasing leaves a tombstone: the slot can be used again once the owner is flushed, rehashed or cleared.
///
/// Cost: as a rule one slab read; an insert one or two atomics more.
template <class Key, class Value>
class slab_hash_ref {
  using bits = detail::value_bits<Value>;
  using state = detail::concurrent_table<Key, bits>;
  using mark = slot_mark<Key>;

 public:
  /// Refers to nothing: may only be assigned to and copied.
  slab_hash_ref() = default;
  MANGROVE_HOST_DEVICE explicit slab_hash_ref(const state& table) : table_(table) {}

  /// Inserts a key that is not there yet, into a set.
  template <class Tile>
  MANGROVE_HOST_DEVICE insert_result insert(const Tile& tile, Key key) const requires(is_none<Value>) {
    return note(tile, table_.insert(tile, key, none{}, detail::on_existing::keep));
  }

  /// Inserts a key that is not there yet with its value, into a map.
  template <class Tile>
  MANGROVE_HOST_DEVICE insert_result insert(const Tile& tile, Key key, Value value) const requires(!is_none<Value>) {
    return note(tile, table_.insert(tile, key, detail::to_bits(value), detail::on_existing::keep));
  }

  /// Gives a key a value, whether it is there or not.
  template <class Tile>
  MANGROVE_HOST_DEVICE assign_result insert_or_assign(const Tile& tile, Key key, Value value) const
      requires(!is_none<Value>) {
    switch (note(tile, table_.insert(tile, key, detail::to_bits(value), detail::on_existing::assign))) {
      case insert_result::inserted:
        return assign_result::inserted;
      case insert_result::exists:
        return assign_result::assigned;
      default:
        return assign_result::full;
    }
  }

  /// Erases a key. @return whether it was there, and it was this call that erased it
  template <class Tile>
  MANGROVE_HOST_DEVICE bool erase(const Tile& tile, Key key) const {
    const bool erased = table_.erase(tile, key);
    if (erased) note_change(tile);
    return erased;
  }

  /// The value of a key.
  /// @tparam Access `access::plain` is faster, and promises that nobody changes the table meanwhile
  template <access Access = access::relaxed, class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE lookup_result<Value> find(const Tile& tile, Key key) const {
    const lookup_result<bits> found = table_.template find<Access>(tile, key);
    return found ? lookup_result<Value>(detail::from_bits<Value>(*found)) : lookup_result<Value>();
  }

  /// Whether a key is there. @tparam Access as for `find`
  template <access Access = access::relaxed, class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE bool contains(const Tile& tile, Key key) const {
    return table_.template contains<Access>(tile, key);
  }

  /// Asks for the memory where the search for `key` starts.
  MANGROVE_HOST_DEVICE void prefetch(Key key) const { table_.table().prefetch_home(key); }

  /// Number of parts that `for_each_in` can visit apart.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::size_t parts() const { return std::size_t{table_.table().buckets()} + 1; }

  /// Calls `f(key)` for a set, `f(key, value)` for a map, for every key of one part, each in one lane; in no order.
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void for_each_in(const Tile& tile, std::size_t part, F f) const {
    if (part + 1 == parts()) {
      tile.strided(3, [&](std::size_t i) { visit_side(static_cast<Key>(mark::empty - i), f); });
      return;
    }
    const auto bucket = static_cast<std::uint32_t>(part);
    tile.strided(state::slots, [&](std::size_t i) { visit_slot({bucket, static_cast<std::uint32_t>(i)}, f); });
  }

  /// Calls `f(key)` for a set, `f(key, value)` for a map, for every key, each in one lane; in no order.
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void for_each(const Tile& tile, F f) const {
    for (std::size_t part = 0; part < parts(); ++part) for_each_in(tile, part, f);
  }

 private:
  template <class F>
  MANGROVE_HOST_DEVICE static void call(F& f, Key key, bits value) {
    if constexpr (is_none<Value>) {
      f(key);
    } else {
      f(key, detail::from_bits<Value>(value));
    }
  }

  template <class F>
  MANGROVE_HOST_DEVICE void visit_slot(typename state::position at, F& f) const {
    const Key key = load_relaxed(table_.table().keys(at.bucket) + at.slot);
    if (!mark::storable(key)) return;
    const lookup_result<bits> found = table_.value_beside_writers(at, key);
    if (found) call(f, key, *found);
  }

  template <class F>
  MANGROVE_HOST_DEVICE void visit_side(Key key, F& f) const {
    const lookup_result<bits> found = table_.side_of(key).find();
    if (found) call(f, key, *found);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE insert_result note(const Tile& tile, insert_result result) const {
    if (result == insert_result::inserted) note_change(tile);
    return result;
  }

  /// Tells the owner to count anew. Reads first: as a rule the mark is set, and its line stays shared.
  template <class Tile>
  MANGROVE_HOST_DEVICE void note_change(const Tile& tile) const {
    if (tile.lane() != 0) return;
    std::uint32_t* const changed = &table_.side().changed;
    if (load_relaxed(changed) == 0) store_relaxed(changed, std::uint32_t{1});
  }

  state table_;
};

}  // namespace mangrove
