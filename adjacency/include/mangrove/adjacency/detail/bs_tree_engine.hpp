#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "mangrove/adjacency/bs_tree_options.hpp"
#include "mangrove/core/none.hpp"
#include "mangrove/core/resources.hpp"

namespace mangrove::detail {

enum class bs_on_existing { keep, assign };

/// The tree behind `bs_tree` and `cbs_tree`, one class per instruction set, form of leaves and sharing.
///
/// Keys are unsigned integers, values plain bits. Arrays of values are arrays of anything of `sizeof(Bits)` bytes.
/// @tparam Key std::uint32_t or std::uint64_t
/// @tparam Bits none, std::uint32_t or std::uint64_t
template <class Key, class Bits>
class bs_tree_engine {
 public:
  virtual ~bs_tree_engine() = default;

  virtual bool insert(Key key, Bits value, bs_on_existing existing) = 0;
  virtual bool erase(Key key) = 0;
  virtual bool find(Key key, Bits* value) const = 0;
  /// The least key greater than `key`.
  virtual bool successor(Key key, Key* found, Bits* value) const = 0;
  /// The greatest key less than `key`.
  virtual bool predecessor(Key key, Key* found, Bits* value) const = 0;
  virtual std::size_t range(Key low, Key high, Key* keys, void* values, std::size_t room) const = 0;
  virtual std::size_t count(Key low, Key high) const = 0;

  virtual std::size_t insert_batch(const Key* keys, const void* values, std::size_t count, bs_on_existing existing,
                                   std::uint8_t* inserted) = 0;
  virtual std::size_t erase_batch(const Key* keys, std::size_t count, std::uint8_t* erased) = 0;
  virtual void find_batch(const Key* keys, std::size_t count, void* values, std::uint8_t* found) const = 0;
  /// Fills an empty tree. @param keys strictly ascending
  virtual void load(const Key* keys, const void* values, std::size_t count, double fill) = 0;

  [[nodiscard]] virtual std::size_t size() const = 0;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
  [[nodiscard]] virtual bs_tree_statistics statistics() const = 0;
  /// What is wrong with the structure; empty when nothing is. No other operation may run.
  [[nodiscard]] virtual std::string check() const = 0;
};

/// What an engine is made of.
struct bs_tree_kind {
  bool compressed = false;
  bs_writers writers = bs_writers::one;
  bs_simd simd = bs_simd::best;
  std::size_t cache_bytes = 0;
};

/// @throws usage_error when the machine or the build lacks the instruction set, memory_error
template <class Key, class Bits>
std::unique_ptr<bs_tree_engine<Key, Bits>> make_bs_tree_engine(const cpu_resources& res, const bs_tree_kind& kind);

/// Whether leaves should be compressed: whether the differences within a leaf's worth of keys have, in the mean over
/// all leaves, at most half as many bits as a key. @param keys ascending
template <class Key>
bool bs_tree_compresses(const Key* keys, std::size_t count);

/// Calls `f(first, last)` for shares of [0, count), on all threads of `res`.
void bs_tree_in_parallel(const cpu_resources& res, std::size_t count,
                         const std::function<void(std::size_t, std::size_t)>& f);

}  // namespace mangrove::detail
