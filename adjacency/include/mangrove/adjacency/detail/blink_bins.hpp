#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "mangrove/adjacency/detail/blink_nodes.hpp"
#include "mangrove/core/atomic.hpp"
#include "mangrove/core/buffer.hpp"

/// @file
/// Which keys of a batch belong to which leaf, without sorting all of them: keys are dealt out to bins, each for some
/// neighbouring leaves and small enough for a block's scratch, and put in order there.

namespace mangrove::detail {

/// How a batch is dealt out.
template <class Key>
struct bin_shape {
  static constexpr std::uint32_t max_bins = 2048;
  static constexpr std::uint32_t max_leaves = 1344;                          ///< of a bin
  static constexpr std::uint32_t max_keys = sizeof(Key) == 8 ? 4096 : 6144;  ///< of a bin
  /// Keys that a bin should get at most, on average.
  static constexpr std::uint32_t most_wanted = max_keys / 8 * 7;
  /// Fewer leaves are not worth a block.
  static constexpr std::uint32_t min_leaves = 32;
  /// Bins that are gathered at the same time, two on each of 132 multiprocessors.
  static constexpr std::uint32_t at_once = 264;

  std::uint32_t leaves;    ///< of a bin
  std::uint32_t bins;      ///< 0 where bins do not suit the batch
  std::uint32_t capacity;  ///< of a bin, keys

  static bin_shape for_batch(std::uint64_t count, std::uint64_t leaves) {
    bin_shape made{};
    const auto rounds_for = [](std::uint64_t all, std::uint64_t each) {
      return (all + at_once * each - 1) / (at_once * each);
    };
    const std::uint64_t parts = at_once * std::max(rounds_for(leaves, max_leaves), rounds_for(count, most_wanted));
    made.leaves = static_cast<std::uint32_t>(std::max<std::uint64_t>(min_leaves, (leaves + parts - 1) / parts));
    const std::uint64_t bins = (leaves + made.leaves - 1) / made.leaves;
    const bool fits = count * made.leaves <= max_keys / 16 * 15 * leaves;
    if (bins > max_bins || !fits) return made;
    made.bins = static_cast<std::uint32_t>(bins);
    made.capacity = capacity_for(count * made.leaves / leaves);
    return made;
  }

  /// An odd number of cache lines, so that bins that are written at the same place are in different sets of the cache.
  static std::uint32_t capacity_for(std::uint64_t keys) {
    constexpr std::uint64_t line = 16;  // keys
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(max_keys, ((2 * keys + 64) / line | 1) * line));
  }

  /// Leaves of a bin, of a tree that has `all`.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t leaves_of(std::uint32_t bin, std::uint32_t all) const {
    const std::uint32_t left = all - bin * leaves;
    return left < leaves ? left : leaves;
  }
};

/// A key in a bin.
template <class Key>
struct alignas(2 * sizeof(Key)) dealt_key {
  Key key;
  std::uint32_t source;  ///< its number in the batch
};

/// A leaf that keys of the batch belong to.
struct alignas(8) dealt_leaf {
  static constexpr std::uint16_t crowded = 1U << 15;

  node_index leaf;
  std::uint32_t rank;
  std::uint32_t first;  ///< of its keys among the gathered ones
  std::uint16_t held;   ///< keys that it has
  std::uint16_t given;  ///< keys that it gets, those that it has and repeats included; with `crowded` if it is

  [[nodiscard]] MANGROVE_HOST_DEVICE bool is_crowded() const { return (given & crowded) != 0; }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t count() const { return given & (crowded - 1U); }
};

/// What becomes of a crowded leaf.
struct alignas(8) crowded_leaf {
  dealt_leaf of;
  std::uint32_t extra;   ///< leaves more than before
  std::uint32_t before;  ///< new leaves before its own, of those in its bin
};

/// What the host has to know of a batch that was dealt out.
struct dealt_tally {
  static constexpr std::uint32_t spread = 64;
  /// Counters far enough apart that tiles which count at the same time do not wait for each other.
  struct alignas(32) counter {
    std::uint32_t value;
  };

  std::uint32_t touched;     ///< leaves that get keys
  std::uint32_t crowded;     ///< of them leaves that may have too little room
  std::uint32_t extra;       ///< leaves more than before
  std::uint32_t skewed;      ///< not 0 when some leaf or bin gets too many keys
  std::uint32_t refused;     ///< not 0 when there was a NaN
  std::uint32_t erased;      ///< keys
  std::uint32_t emptied;     ///< leaves that have lost all keys
  counter rejected[spread];  ///< keys that were there already, and all but one of equal keys; complete once leaves are
                             ///< merged

  /// Whether a batch can be applied with so many new leaves.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool may_go(std::uint32_t granted) const {
    return (skewed | refused) == 0 && extra <= granted;
  }
  /// Counts for the i-th tile.
  MANGROVE_HOST_DEVICE void reject(std::size_t i, std::uint32_t keys) {
    if (keys != 0) fetch_add(&rejected[i % spread].value, keys);
  }
  [[nodiscard]] std::size_t all_rejected() const {
    std::size_t all = 0;
    for (const counter& some : rejected) all += some.value;
    return all;
  }
};

/// Arrays that a batch is dealt out and gathered in. Trivially copyable.
template <class Key>
struct bin_arrays {
  bin_shape<Key> shape;
  dealt_key<Key>* dealt;   ///< those of bin b begin at b * capacity
  std::uint32_t* sizes;    ///< [dim = bins] zero between batches
  std::uint32_t* shifts;   ///< [dim = bins] leaves that come or go in a bin
  std::uint32_t* before;   ///< [dim = bins + 1] the same in the bins before
  Key* keys;               ///< as `dealt`, in order by leaf
  std::uint32_t* sources;  ///< of `keys`
  dealt_leaf* touched;
  crowded_leaf* crowded;
  std::uint16_t* shift;  ///< [dim = leaves] leaves that come or go before each, of its bin; only of bins that have any
};

/// Memory for bins, kept from batch to batch.
template <backend B, class Key>
class bin_memory {
 public:
  /// @throws memory_error with nothing lost
  bin_arrays<Key> secure(const resources<B>& res, const bin_shape<Key>& shape, std::size_t leaves, std::size_t count) {
    constexpr std::size_t counters = bin_shape<Key>::max_bins;
    if (counters_.size() == 0) {
      counters_ = buffer<B, std::uint32_t>(res, 3 * counters + 1);
      fill_bytes(res, counters_.data(), 0, counters_.size());
    }
    const std::size_t keys = std::size_t{shape.bins} * shape.capacity;
    const std::size_t touched = std::min(leaves, count);
    const std::size_t bytes = keys * (sizeof(dealt_key<Key>) + sizeof(Key) + sizeof(std::uint32_t)) +
                              touched * (sizeof(dealt_leaf) + sizeof(crowded_leaf)) + leaves * sizeof(std::uint16_t);
    if (bytes > work_.size()) {
      work_ = {};
      work_ = buffer<B, std::byte>(res, bytes);
    }
    // Everything is aligned: capacities are multiples of 16.
    auto* const dealt = reinterpret_cast<dealt_key<Key>*>(work_.data());
    auto* const keys_at = reinterpret_cast<Key*>(dealt + keys);
    auto* const sources = reinterpret_cast<std::uint32_t*>(keys_at + keys);
    auto* const leaves_at = reinterpret_cast<dealt_leaf*>(sources + keys);
    auto* const crowded = reinterpret_cast<crowded_leaf*>(leaves_at + touched);
    auto* const shift = reinterpret_cast<std::uint16_t*>(crowded + touched);
    std::uint32_t* const sizes = counters_.data();
    return {shape, dealt, sizes, sizes + counters, sizes + 2 * counters, keys_at, sources, leaves_at, crowded, shift};
  }

  [[nodiscard]] std::size_t bytes() const noexcept { return counters_.size() * sizeof(std::uint32_t) + work_.size(); }

 private:
  buffer<B, std::uint32_t> counters_;
  buffer<B, std::byte> work_;
};

}  // namespace mangrove::detail
