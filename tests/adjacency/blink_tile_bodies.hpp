#pragma once

#include "blink_types.hpp"
#include "mangrove/core/atomic.hpp"
#include "ordered_view_bodies.hpp"

namespace mangrove::test {

/// Inserts keys; `results[i]` becomes the insert_result.
template <class Types>
struct insert_tree_key {
  typename Types::container::ref_type tree;
  const typename Types::key* keys;
  std::uint8_t* results;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const auto result = tree.insert(tile, keys[i], ordered_value<typename Types::value>(keys[i], 1));
    if (tile.lane() == 0) results[i] = static_cast<std::uint8_t>(result);
  }
};

/// Erases keys; `results[i]` becomes whether it was there.
template <class Types>
struct erase_tree_key {
  typename Types::container::ref_type tree;
  const typename Types::key* keys;
  std::uint8_t* results;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const bool erased = tree.erase(tile, keys[i]);
    if (tile.lane() == 0) results[i] = erased ? 1 : 0;
  }
};

enum class tree_request : std::uint32_t { insert, assign, erase, find, contains, range, successor, predecessor };
inline constexpr std::uint32_t tree_requests = 8;

struct numbered_request {
  std::uint32_t key;  ///< index of the key
  tree_request kind;
};

/// What tiles report of the requests on one key.
struct tree_record {
  std::uint32_t inserted;
  std::uint32_t erased;
  std::uint32_t errors;
};

/// Does requests of all kinds at the same time, and records per key who won.
template <class Types>
struct mixed_tree_requests {
  using key_type = typename Types::key;
  using value_type = typename Types::value;
  typename Types::container::ref_type tree;
  const key_type* keys;
  const numbered_request* requests;
  tree_record* records;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const key_type key = keys[requests[i].key];
    tree_record& record = records[requests[i].key];
    const auto value = ordered_value<value_type>(key, static_cast<std::uint32_t>(i));
    bool inserted = false;
    bool erased = false;
    bool failed = false;
    switch (requests[i].kind) {
      case tree_request::insert: {
        const insert_result result = tree.insert(tile, key, value);
        inserted = result == insert_result::inserted;
        failed = result == insert_result::full;
        break;
      }
      case tree_request::assign: {
        const assign_result result = tree.insert_or_assign(tile, key, value);
        inserted = result == assign_result::inserted;
        failed = result == assign_result::full;
        break;
      }
      case tree_request::erase:
        erased = tree.erase(tile, key);
        break;
      case tree_request::find: {
        const auto found = tree.find(tile, key);
        failed = found && !value_fits(key, *found);
        break;
      }
      case tree_request::contains:
        static_cast<void>(tree.contains(tile, key));
        break;
      case tree_request::range:
        failed = read_range(tile, key, keys[requests[i / 2].key], record);
        break;
      case tree_request::successor: {
        const auto next = tree.successor(tile, key);
        failed = next && (!(key < (*next).key) || !value_fits((*next).key, (*next).value));
        break;
      }
      case tree_request::predecessor: {
        const auto next = tree.predecessor(tile, key);
        failed = next && (!((*next).key < key) || !value_fits((*next).key, (*next).value));
        break;
      }
    }
    if (tile.lane() != 0) return;
    if (inserted) fetch_add(&record.inserted, 1U);
    if (erased) fetch_add(&record.erased, 1U);
    if (failed) fetch_add(&record.errors, 1U);
  }

 private:
  /// @return whether keys lay outside or carried foreign values, as this tile saw them
  template <class Tile>
  MANGROVE_HOST_DEVICE bool read_range(const Tile& tile, key_type low, key_type high, tree_record& record) const {
    std::uint32_t wrong = 0;
    const std::uint64_t count = tree.range(tile, low, high, 40, [&](std::uint64_t n, key_type key, value_type value) {
      if (key < low || high < key || n >= 40 || !value_fits(key, value)) ++wrong;
    });
    static_cast<void>(record);
    return tile.sum(wrong) != 0 || count > 40;
  }
};

/// Counts keys that walks over all visit: by the view's parts, by the whole view, by a ref.
template <class Types>
struct visit_tree {
  typename Types::container::view_type view;
  typename Types::container::ref_type tree;
  std::uint64_t* counters;  ///< three counts, then errors

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    if (i == 0) {
      for (std::size_t part = 0; part < view.parts(); ++part)
        view.for_each_in(tile, part, visitor{counters, counters + 3});
    } else if (i == 1) {
      view.for_each(tile, visitor{counters + 1, counters + 3});
    } else {
      tree.for_each(tile, visitor{counters + 2, counters + 3});
    }
  }

 private:
  struct visitor {
    std::uint64_t* met;
    std::uint64_t* errors;
    MANGROVE_HOST_DEVICE void operator()(typename Types::key key, typename Types::value value) const {
      fetch_add(met, std::uint64_t{1});
      if (!value_fits(key, value)) fetch_add(errors, std::uint64_t{1});
    }
  };
};

}  // namespace mangrove::test
