#pragma once

#include "hash_support.hpp"

namespace mangrove::test {

/// Inserts keys through a ref; `results[i]` becomes the insert_result.
template <class Types>
struct insert_by_tile {
  typename Types::ref ref;
  const typename Types::key* keys;
  std::uint8_t* results;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    insert_result result{};
    if constexpr (is_none<typename Types::value>) {
      result = ref.insert(tile, keys[i]);
    } else {
      result = ref.insert(tile, keys[i], value_for<typename Types::value>(keys[i], 1));
    }
    if (tile.lane() == 0) results[i] = static_cast<std::uint8_t>(result);
  }
};

enum class request_kind : std::uint32_t { insert, assign, erase, find, contains };
inline constexpr std::uint32_t request_kinds = 5;

struct request {
  std::uint32_t key;  ///< index of the key
  request_kind kind;
};

/// What tiles report of the requests on one key.
struct key_record {
  std::uint32_t inserted;
  std::uint32_t erased;
  std::uint32_t errors;
};

/// Does requests of all kinds at the same time, and records per key who won.
template <class Types>
struct mixed_requests {
  using key_type = typename Types::key;
  using value_type = typename Types::value;
  typename Types::ref ref;
  const key_type* keys;
  const request* requests;
  key_record* records;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const key_type key = keys[requests[i].key];
    key_record& record = records[requests[i].key];
    const auto salt = static_cast<std::uint32_t>(i);
    bool inserted = false;
    bool erased = false;
    bool failed = false;
    switch (requests[i].kind) {
      case request_kind::insert:
        inserted = insert(tile, key, salt);
        break;
      case request_kind::assign:
        inserted = assign(tile, key, salt);
        break;
      case request_kind::erase:
        erased = ref.erase(tile, key);
        break;
      case request_kind::find: {
        const auto found = ref.find(tile, key);
        failed = found && !fits_key(key, *found);
        break;
      }
      case request_kind::contains:
        static_cast<void>(ref.contains(tile, key));
        break;
    }
    if (tile.lane() != 0) return;
    if (inserted) fetch_add(&record.inserted, 1U);
    if (erased) fetch_add(&record.erased, 1U);
    if (failed) fetch_add(&record.errors, 1U);
  }

 private:
  template <class Tile>
  MANGROVE_HOST_DEVICE bool insert(const Tile& tile, key_type key, std::uint32_t salt) const {
    if constexpr (is_none<value_type>) {
      return ref.insert(tile, key) == insert_result::inserted;
    } else {
      return ref.insert(tile, key, value_for<value_type>(key, salt)) == insert_result::inserted;
    }
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE bool assign(const Tile& tile, key_type key, std::uint32_t salt) const {
    if constexpr (is_none<value_type>) {
      return insert(tile, key, salt);
    } else {
      return ref.insert_or_assign(tile, key, value_for<value_type>(key, salt)) == assign_result::inserted;
    }
  }
};

/// Counts the keys that `for_each` visits and checks their values: `counters` are keys met, keys met by parts, errors.
template <class Types>
struct visit_all {
  typename Types::ref ref;
  std::uint64_t* counters;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t) const {
    ref.for_each(tile, visitor{counters, counters + 2});
    for (std::size_t part = 0; part < ref.parts(); ++part)
      ref.for_each_in(tile, part, visitor{counters + 1, counters + 2});
  }

 private:
  struct visitor {
    std::uint64_t* met;
    std::uint64_t* errors;
    template <class... Value>
    MANGROVE_HOST_DEVICE void operator()([[maybe_unused]] typename Types::key key, Value... value) const {
      fetch_add(met, std::uint64_t{1});
      if (!(fits_key(key, value) && ...)) fetch_add(errors, std::uint64_t{1});
    }
  };
};

/// A few keys in a table with few slots, and many requests on them.
template <class Types>
struct mixed_case {
  std::vector<typename Types::key> keys;
  std::vector<request> requests;

  mixed_case(seeded_random& random, std::size_t key_count, std::size_t request_count)
      : keys(key_pool<typename Types::key>(random, key_count)) {
    for (std::size_t i = 0; i < request_count; ++i) {
      requests.push_back({static_cast<std::uint32_t>(random.below(keys.size())),
                          static_cast<request_kind>(random.below(request_kinds))});
    }
  }

  /// A key is inserted and erased in turn, so what is left follows from how often each succeeded.
  void check(checked_hash<Types>& hash, const std::vector<key_record>& records) const {
    const auto now = hash.read();
    for (std::size_t k = 0; k < keys.size(); ++k) {
      ASSERT_EQ(records[k].errors, 0U) << "a value of another key at " << keys[k];
      ASSERT_EQ(records[k].inserted, records[k].erased + now.count(keys[k])) << "winners of " << keys[k];
    }
    for (const auto& [key, value] : now) ASSERT_TRUE(fits_key(key, value)) << key;
  }
};

}  // namespace mangrove::test
