#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "mangrove/adjacency/detail/blink_nodes.hpp"
#include "mangrove/core/atomic.hpp"
#include "mangrove/core/buffer.hpp"

/// @file
/// Which keys of a batch belong to which leaf, without sorting them: the keys of each leaf are a chain.

namespace mangrove::detail {

/// What is claimed of a leaf. Zero between batches.
struct alignas(8) leaf_claims {
  std::uint32_t count;
  std::uint32_t last;  ///< head of the chain: one more than the number of a key, 0 where it ends
};

/// A key of the batch, and the one that claimed the same leaf before.
template <class Key>
struct chained_key {
  Key key;
  std::uint32_t before;  ///< as `leaf_claims::last`
};

/// A leaf that keys of the batch belong to.
struct alignas(16) touched_leaf {
  node_index leaf;
  std::uint32_t rank;
  std::uint32_t last;    ///< as `leaf_claims::last`
  std::uint16_t held;    ///< keys that it has
  std::uint16_t claims;  ///< keys that claim it, repeats and keys that it has included; 0 when there is nothing to do
};

/// What the host has to know of a batch's claims.
struct claim_tally {
  /// One of many counters for the same, far enough apart that tiles which count at the same time do not wait.
  struct alignas(32) counters {
    std::uint32_t rejected;  ///< keys that were there already, and all but one of equal keys
    std::uint32_t extra;     ///< leaves more than before
  };
  static constexpr std::uint32_t spread = 64;

  std::uint32_t touched;  ///< leaves that keys belong to
  std::uint32_t crowded;  ///< leaves that may have too little room
  std::uint32_t skewed;   ///< not 0 when some leaf has more claims than a leaf has slots
  std::uint32_t refused;  ///< not 0 when there was a NaN
  counters counted[spread];

  /// Whether every leaf has room for all that is claimed of it.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool all_fit() const { return (crowded | skewed | refused) == 0; }

  /// Counts for the i-th tile.
  MANGROVE_HOST_DEVICE void count(std::size_t i, std::uint32_t rejected, std::uint32_t extra) {
    counters& to = counted[i % spread];
    if (rejected != 0) fetch_add(&to.rejected, rejected);
    if (extra != 0) fetch_add(&to.extra, extra);
  }
  [[nodiscard]] std::size_t sum(std::uint32_t counters::*what) const {
    std::size_t all = 0;
    for (const counters& some : counted) all += some.*what;
    return all;
  }
};

/// Arrays that a batch's claims are kept in. Trivially copyable.
template <class Key>
struct claim_arrays {
  leaf_claims* of_rank;    ///< [dim = leaves]
  chained_key<Key>* keys;  ///< [dim = keys of the batch]
  std::uint32_t* listed;   ///< ranks of touched leaves in any order
  touched_leaf* touched;   ///< one for each listed leaf
  touched_leaf* crowded;   ///< leaves that may have too little room
};

/// Memory for claims, kept from batch to batch.
template <backend B, class Key>
class claim_memory {
 public:
  /// @param leaves how many there may be in the tree before this is called anew with more
  /// @param most keys of the batch @throws memory_error with nothing lost
  claim_arrays<Key> secure(const resources<B>& res, std::size_t leaves, std::size_t most) {
    secure_ranks(res, leaves);
    const std::size_t bytes = most * (sizeof(chained_key<Key>) + 2 * sizeof(touched_leaf) + sizeof(std::uint32_t));
    if (bytes > work_.size()) {
      work_ = {};
      work_ = buffer<B, std::byte>(res, bytes);
    }
    auto* const leaves_at = reinterpret_cast<touched_leaf*>(work_.data());
    auto* const keys_at = reinterpret_cast<chained_key<Key>*>(leaves_at + 2 * most);
    auto* const list_at = reinterpret_cast<std::uint32_t*>(keys_at + most);
    return {of_rank_.data(), keys_at, list_at, leaves_at, leaves_at + most};
  }

  [[nodiscard]] std::size_t bytes() const noexcept { return of_rank_.size() * sizeof(leaf_claims) + work_.size(); }

 private:
  void secure_ranks(const resources<B>& res, std::size_t leaves) {
    if (leaves <= of_rank_.size()) return;
    of_rank_ = {};
    of_rank_ = buffer<B, leaf_claims>(res, leaves);
    fill_bytes(res, of_rank_.data(), 0, leaves);
  }

  buffer<B, leaf_claims> of_rank_;  ///< zero but while a batch is inserted
  buffer<B, std::byte> work_;
};

}  // namespace mangrove::detail
