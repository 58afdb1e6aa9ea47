#pragma once

#include <atomic>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mangrove/adjacency/bs_tree_options.hpp"
#include "mangrove/adjacency/detail/bs_tree_arrays.hpp"

namespace mangrove::detail {

/// What `bs_tree` and `cbs_tree` have in common; see there.
template <bs_tree_key Key, bs_tree_value Value, bs_writers Writers>
class bs_tree_owner {
  using arrays = bs_tree_arrays<Key, Value>;
  using key_bits = typename arrays::key_bits;
  using value_bits = typename arrays::value_bits;
  using engine = typename arrays::engine;
  static constexpr bool is_set = is_none<Value>;

 public:
  using key_type = Key;
  using mapped_type = Value;
  struct entry {
    Key key;
    [[no_unique_address]] Value value;
  };

  /// Inserts a key that is not there yet. @return whether it was inserted. @throws memory_error
  bool insert(Key key) requires is_set { return engine_->insert(bs_encode_key(key), {}, bs_on_existing::keep); }
  bool insert(Key key, Value value) requires(!is_set) {
    return engine_->insert(bs_encode_key(key), bs_encode_value(value), bs_on_existing::keep);
  }

  /// Inserts, or gives the key that is there the new value. @return whether it was inserted. @throws memory_error
  bool insert_or_assign(Key key, Value value) requires(!is_set) {
    return engine_->insert(bs_encode_key(key), bs_encode_value(value), bs_on_existing::assign);
  }

  /// @return whether the key was there
  bool erase(Key key) { return engine_->erase(bs_encode_key(key)); }

  [[nodiscard]] std::optional<Value> find(Key key) const requires(!is_set) {
    value_bits value{};
    if (!engine_->find(bs_encode_key(key), &value)) return std::nullopt;
    return bs_decode_value<Value>(value);
  }
  [[nodiscard]] bool contains(Key key) const { return engine_->find(bs_encode_key(key), nullptr); }

  /// The least entry whose key is greater than `key`.
  [[nodiscard]] std::optional<entry> successor(Key key) const {
    return neighbour([&](key_bits* k, value_bits* v) { return engine_->successor(bs_encode_key(key), k, v); });
  }
  /// The greatest entry whose key is less than `key`.
  [[nodiscard]] std::optional<entry> predecessor(Key key) const {
    return neighbour([&](key_bits* k, value_bits* v) { return engine_->predecessor(bs_encode_key(key), k, v); });
  }

  /// Writes the keys in [low, high], ascending, and their values, until `keys` is full.
  /// @param values as long as `keys`; for sets, left out
  /// @return how many were written; what the arrays held behind them may have been overwritten
  /// @throws usage_error when `values` is shorter than `keys`
  std::size_t range(Key low, Key high, std::span<Key> keys, std::span<Value> values = {}) const {
    require_values(keys.size(), values.size(), is_set);
    return arrays::range(*engine_, bs_encode_key(low), bs_encode_key(high), keys.data(), values.data(), keys.size());
  }

  /// How many keys are in [low, high]. Cost: reads the keys' leaves, no values.
  [[nodiscard]] std::size_t count(Key low, Key high) const {
    return engine_->count(bs_encode_key(low), bs_encode_key(high));
  }

  /// Calls `f(key, value)`, for sets `f(key)`, for all keys in [low, high], ascending. `f` may change the tree: it sees
  /// entries as they were up to 512 keys before.
  template <class F>
  void for_each(Key low, Key high, F&& f) const {
    for_each_bits(bs_encode_key(low), bs_encode_key(high), f);
  }
  /// The same for all keys.
  template <class F>
  void for_each(F&& f) const {
    for_each_bits(0, std::numeric_limits<key_bits>::max(), f);
  }

  /// Writes all keys, ascending, and their values to arrays with room for `size()`. @return how many there are
  std::size_t retrieve_all(std::span<Key> keys, std::span<Value> values = {}) const {
    require_values(keys.size(), values.size(), is_set);
    return arrays::range(*engine_, 0, std::numeric_limits<key_bits>::max(), keys.data(), values.data(), keys.size());
  }

  /// Sets `found[i]` to 1 where `keys[i]` is there, else to 0, and where it is, `values[i]` to its value. 32 look-ups
  /// of a thread are in flight together. @param values empty when the values are not wanted
  /// @throws usage_error when the arrays' lengths differ
  void find(const cpu_resources& res, std::span<const Key> keys, std::span<Value> values,
            std::span<std::uint8_t> found) const {
    require_values(keys.size(), values.size(), values.empty());
    require_results(keys.size(), found.size(), false);
    bs_tree_in_parallel(res, keys.size(), [&](std::size_t first, std::size_t last) {
      arrays::find(*engine_, keys.data() + first, last - first, arrays::at(values.data(), first), found.data() + first);
    });
  }
  void contains(const cpu_resources& res, std::span<const Key> keys, std::span<std::uint8_t> found) const {
    find(res, keys, {}, found);
  }

  /// Inserts as `insert` does, key after key where one thread works; of equal keys among several threads any one wins.
  /// Works on all threads of `res` when the tree allows many writers, else on the calling one.
  /// @param inserted empty, or becomes 1 where it was this key that was inserted, else 0
  /// @return how many were inserted
  /// @throws memory_error with some of the keys inserted
  std::size_t insert(const cpu_resources& res, std::span<const Key> keys, std::span<const Value> values = {},
                     std::span<std::uint8_t> inserted = {}) {
    return insert_all(res, keys, values, inserted, bs_on_existing::keep);
  }
  std::size_t insert_or_assign(const cpu_resources& res, std::span<const Key> keys, std::span<const Value> values,
                               std::span<std::uint8_t> inserted = {}) {
    return insert_all(res, keys, values, inserted, bs_on_existing::assign);
  }

  /// Erases; threads as for `insert`. @param erased empty, or becomes 1 where this erased a key, else 0
  /// @return how many were erased
  std::size_t erase(const cpu_resources& res, std::span<const Key> keys, std::span<std::uint8_t> erased = {}) {
    require_results(keys.size(), erased.size(), erased.empty());
    require_ordered(keys);
    return sum_of_changes(res, keys.size(), [&](std::size_t from, std::size_t to) {
      std::size_t sum = 0;
      arrays::each_piece(keys.data() + from, nullptr, to - from, [&](auto* k, auto*, std::size_t first, std::size_t n) {
        sum += engine_->erase_batch(k, n, erased.empty() ? nullptr : erased.data() + from + first);
      });
      return sum;
    });
  }

  /// Replaces the content. Must run alone. @param keys strictly ascending
  /// @throws usage_error when they are not, memory_error; then the content is as it was. Cost: also the memory of both.
  void bulk_load(std::span<const Key> keys, std::span<const Value> values = {}) {
    require_values(keys.size(), values.size(), is_set);
    std::vector<key_bits> mapped_keys;
    std::vector<value_bits> mapped_values;
    const key_bits* key = map_keys(keys, mapped_keys);
    for (std::size_t i = 1; i < keys.size(); ++i) {
      if (key[i - 1] >= key[i]) {
        throw usage_error("bulk_load needs strictly ascending keys, but keys " + std::to_string(i - 1) + " and " +
                          std::to_string(i) + " are not; sort them and drop repeats");
      }
    }
    const bool compressed =
        leaves_ == bs_leaves::compressed || (leaves_ == bs_leaves::by_data && bs_tree_compresses(key, keys.size()));
    std::unique_ptr<engine> fresh = make_engine(compressed);
    fresh->load(key, map_values(values, mapped_values), keys.size(), options_.fill);
    engine_ = std::move(fresh);
    compressed_ = compressed;
  }

  /// Erases everything and gives the memory back. Must run alone.
  void clear() { engine_ = make_engine(compressed_); }

  /// Number of keys. With many writers, exact when nobody changes the tree meanwhile, else anything.
  [[nodiscard]] std::size_t size() const { return engine_->size(); }
  [[nodiscard]] bool empty() const { return size() == 0; }
  /// Bytes of memory asked for.
  [[nodiscard]] std::size_t bytes() const { return engine_->bytes(); }
  [[nodiscard]] bs_tree_statistics statistics() const { return engine_->statistics(); }
  /// Whether leaves are compressed.
  [[nodiscard]] bool compressed() const noexcept { return compressed_; }
  /// What is wrong with the structure; empty when nothing is. For tests: reads everything, must run alone.
  [[nodiscard]] std::string check() const { return engine_->check(); }

 protected:
  bs_tree_owner(const cpu_resources& res, const bs_tree_options& options, bs_leaves leaves)
      : resources_(res), options_(options), leaves_(leaves), compressed_(leaves == bs_leaves::compressed) {
    if (!(options.fill >= 0.5 && options.fill <= 1)) {
      throw usage_error("the fill of a BS-tree must be 0.5 to 1, not " + std::to_string(options.fill));
    }
    engine_ = make_engine(compressed_);
  }

 private:
  std::unique_ptr<engine> make_engine(bool compressed) const {
    return make_bs_tree_engine<key_bits, value_bits>(resources_,
                                                     {compressed, Writers, options_.simd, options_.cache_bytes});
  }

  template <class F>
  static std::optional<entry> neighbour(const F& search) {
    key_bits key{};
    value_bits value{};
    if (!search(&key, &value)) return std::nullopt;
    return entry{bs_decode_key<Key>(key), bs_decode_value<Value>(value)};
  }

  template <class F>
  void for_each_bits(key_bits low, key_bits high, F& f) const {
    typename arrays::buffers some;
    for (;;) {
      const std::size_t got = engine_->range(low, high, some.keys, some.values, arrays::piece);
      for (std::size_t i = 0; i < got; ++i) {
        if constexpr (is_set) {
          f(bs_decode_key<Key>(some.keys[i]));
        } else {
          f(bs_decode_key<Key>(some.keys[i]), bs_decode_value<Value>(some.values[i]));
        }
      }
      if (got < arrays::piece || some.keys[got - 1] == high) return;
      low = some.keys[got - 1] + 1;
    }
  }

  std::size_t insert_all(const cpu_resources& res, std::span<const Key> keys, std::span<const Value> values,
                         std::span<std::uint8_t> inserted, bs_on_existing existing) {
    require_values(keys.size(), values.size(), is_set);
    require_results(keys.size(), inserted.size(), inserted.empty());
    require_ordered(keys);
    return sum_of_changes(res, keys.size(), [&](std::size_t from, std::size_t to) {
      std::size_t sum = 0;
      arrays::each_piece(keys.data() + from, arrays::at(values.data(), from), to - from,
                         [&](auto* k, auto* v, std::size_t first, std::size_t n) {
                           std::uint8_t* const result = inserted.empty() ? nullptr : inserted.data() + from + first;
                           sum += engine_->insert_batch(k, v, n, existing, result);
                         });
      return sum;
    });
  }

  template <class F>
  std::size_t sum_of_changes(const cpu_resources& res, std::size_t count, const F& f) {
    if constexpr (Writers == bs_writers::one) return f(std::size_t{0}, count);
    std::atomic<std::size_t> sum{0};
    bs_tree_in_parallel(res, count, [&](std::size_t first, std::size_t last) { sum += f(first, last); });
    return sum;
  }

  const key_bits* map_keys(std::span<const Key> keys, std::vector<key_bits>& mapped) const {
    if constexpr (bs_same_keys<Key>) {
      return keys.data();
    } else {
      for (const Key key : keys) mapped.push_back(bs_encode_key(key));
      return mapped.data();
    }
  }
  const void* map_values(std::span<const Value> values, std::vector<value_bits>& mapped) const {
    if constexpr (bs_same_values<Value>) {
      return values.data();
    } else {
      for (const Value& value : values) mapped.push_back(bs_encode_value(value));
      return mapped.data();
    }
  }

  static void require_values(std::size_t keys, std::size_t values, bool unneeded) {
    if (!unneeded && values != keys) {
      throw usage_error(std::to_string(keys) + " keys need as many values, not " + std::to_string(values));
    }
  }
  /// So that NaN is refused before anything has changed.
  static void require_ordered([[maybe_unused]] std::span<const Key> keys) {
    if constexpr (std::is_floating_point_v<Key>) {
      for (const Key key : keys) static_cast<void>(bs_encode_key(key));
    }
  }
  static void require_results(std::size_t keys, std::size_t results, bool unneeded) {
    if (!unneeded && results != keys) {
      throw usage_error(std::to_string(keys) + " keys need as many results, not " + std::to_string(results));
    }
  }

  cpu_resources resources_;
  bs_tree_options options_;
  bs_leaves leaves_;
  bool compressed_;
  std::unique_ptr<engine> engine_;
};

}  // namespace mangrove::detail
