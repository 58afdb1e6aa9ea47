#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "mangrove/adjacency/detail/bs_tree_codec.hpp"
#include "mangrove/adjacency/detail/bs_tree_engine.hpp"

namespace mangrove::detail {

/// Arrays of the user's types as the engine sees them: the arrays themselves, or pieces of them, mapped.
template <class Key, class Value>
struct bs_tree_arrays {
  using key_bits = bs_key_bits<Key>;
  using value_bits = bs_value_bits<Value>;
  using engine = bs_tree_engine<key_bits, value_bits>;
  static constexpr bool same = bs_same_keys<Key> && bs_same_values<Value>;
  static constexpr std::size_t piece = 512;

  struct buffers {
    key_bits keys[piece];
    value_bits values[piece];
  };

  static Value* at(Value* values, std::size_t i) { return is_none<Value> || values == nullptr ? values : values + i; }
  static const Value* at(const Value* values, std::size_t i) {
    return is_none<Value> || values == nullptr ? values : values + i;
  }

  static void encode(const Key* keys, const Value* values, std::size_t count, buffers& to) {
    for (std::size_t i = 0; i < count; ++i) to.keys[i] = bs_encode_key(keys[i]);
    if constexpr (!is_none<Value>) {
      if (values == nullptr) return;
      for (std::size_t i = 0; i < count; ++i) to.values[i] = bs_encode_value(values[i]);
    }
  }
  static void decode(const buffers& from, std::size_t count, Key* keys, Value* values) {
    for (std::size_t i = 0; keys != nullptr && i < count; ++i) keys[i] = bs_decode_key<Key>(from.keys[i]);
    if constexpr (!is_none<Value>) {
      for (std::size_t i = 0; values != nullptr && i < count; ++i) values[i] = bs_decode_value<Value>(from.values[i]);
    }
  }

  /// Calls `f(keys, values, first, count)` with the engine's view of the arrays, in one or in many pieces.
  template <class F>
  static void each_piece(const Key* keys, const Value* values, std::size_t count, const F& f) {
    if constexpr (same) {
      f(keys, static_cast<const void*>(values), std::size_t{0}, count);
    } else {
      buffers some;
      for (std::size_t first = 0; first < count; first += piece) {
        const std::size_t size = std::min(piece, count - first);
        encode(keys + first, at(values, first), size, some);
        f(some.keys, static_cast<const void*>(some.values), first, size);
      }
    }
  }

  static void find(const engine& tree, const Key* keys, std::size_t count, Value* values, std::uint8_t* found) {
    if constexpr (same) {
      tree.find_batch(keys, count, values, found);
    } else {
      buffers some;
      for (std::size_t first = 0; first < count; first += piece) {
        const std::size_t size = std::min(piece, count - first);
        encode(keys + first, nullptr, size, some);
        decode_found(tree, some, size, at(values, first), found + first);
      }
    }
  }

  /// As `engine::range`, for keys already mapped.
  static std::size_t range(const engine& tree, key_bits low, key_bits high, Key* keys, Value* values,
                           std::size_t room) {
    if constexpr (same) {
      return tree.range(low, high, keys, values, room);
    } else {
      buffers some;
      std::size_t written = 0;
      while (written < room) {
        const std::size_t wanted = std::min(piece, room - written);
        const std::size_t got = tree.range(low, high, some.keys, some.values, wanted);
        decode(some, got, keys + written, at(values, written));
        written += got;
        if (got < wanted || some.keys[got - 1] == high) break;
        low = some.keys[got - 1] + 1;
      }
      return written;
    }
  }

 private:
  static void decode_found(const engine& tree, buffers& some, std::size_t count, Value* values, std::uint8_t* found) {
    tree.find_batch(some.keys, count, some.values, found);
    if constexpr (!is_none<Value>) {
      for (std::size_t i = 0; values != nullptr && i < count; ++i) {
        if (found[i] != 0) values[i] = bs_decode_value<Value>(some.values[i]);
      }
    }
  }
};

}  // namespace mangrove::detail
