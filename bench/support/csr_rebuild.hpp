#pragma once

#include <bit>
#include <cstdint>

#include "mangrove/core/buffer.hpp"
#include "mangrove/core/bulk.hpp"

/// @file
/// What a user does without a dynamic graph: keep all edges sorted, and for each batch sort it, merge it in (or take it
/// out) and make the offsets again. Same primitives as the graph: the difference is the data structure.

namespace mangrove::bench {

/// Body: an edge becomes a sortable key.
struct make_key {
  const std::uint32_t* sources;
  const std::uint32_t* targets;
  std::uint64_t* keys;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    keys[i] = static_cast<std::uint64_t>(sources[i]) << 32 | targets[i];
  }
};

MANGROVE_HOST_DEVICE inline std::size_t lower_bound(const std::uint64_t* keys, std::size_t count, std::uint64_t key) {
  std::size_t low = 0;
  while (count > 0) {
    const std::size_t half = count / 2;
    const bool right = keys[low + half] < key;
    low = right ? low + half + 1 : low;
    count = right ? count - half - 1 : half;
  }
  return low;
}

/// Body: marks keys of one sorted list that stay: the first of equals that the other list has, or has not.
struct mark_kept {
  const std::uint64_t* keys;
  const std::uint64_t* others;
  std::size_t other_count;
  std::uint8_t* flags;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const std::size_t at = lower_bound(others, other_count, keys[i]);
    const bool there = at < other_count && others[at] == keys[i];
    flags[i] = !there && (i == 0 || keys[i - 1] != keys[i]);
  }
};

struct gather_keys {
  const std::uint64_t* from;
  const std::uint32_t* order;
  std::uint64_t* to;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    to[i] = from[order[i]];
  }
};

/// Body: places a key of one list among the merged ones.
struct place_merged {
  const std::uint64_t* keys;
  const std::uint64_t* others;
  std::size_t other_count;
  std::uint64_t* merged;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    merged[i + lower_bound(others, other_count, keys[i])] = keys[i];
  }
};

/// Body: finds where a vertex's row starts.
struct find_row {
  const std::uint64_t* keys;
  std::size_t count;
  std::uint64_t* offsets;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t u) const {
    offsets[u] = lower_bound(keys, count, static_cast<std::uint64_t>(u) << 32);
  }
};

/// A graph as sorted edges with row offsets, rebuilt for every batch.
template <backend B>
class csr_rebuild {
 public:
  csr_rebuild(const resources<B>& res, std::uint32_t vertices) : keys_(res, 0), offsets_(res, vertices + 1) {}

  [[nodiscard]] std::size_t size() const { return keys_.size(); }

  void insert(const resources<B>& res, const std::uint32_t* sources, const std::uint32_t* targets, std::size_t count) {
    buffer<B, std::uint64_t> batch = absent(res, sorted(res, sources, targets, count));
    buffer<B, std::uint64_t> merged(res, keys_.size() + batch.size());
    place(res, keys_, batch, merged);
    place(res, batch, keys_, merged);
    adopt(res, std::move(merged));
  }

  void erase(const resources<B>& res, const std::uint32_t* sources, const std::uint32_t* targets, std::size_t count) {
    const buffer<B, std::uint64_t> batch = sorted(res, sources, targets, count);
    adopt(res, kept(res, keys_, batch));
  }

 private:
  static buffer<B, std::uint64_t> sorted(const resources<B>& res, const std::uint32_t* sources,
                                         const std::uint32_t* targets, std::size_t count) {
    buffer<B, std::uint64_t> keys(res, count);
    for_each_tile<1>(res, count, make_key{sources, targets, keys.data()});
    sort(res, keys.data(), count);
    return keys;
  }

  static buffer<B, std::uint64_t> kept(const resources<B>& res, const buffer<B, std::uint64_t>& keys,
                                       const buffer<B, std::uint64_t>& without) {
    buffer<B, std::uint8_t> flags(res, keys.size());
    buffer<B, std::uint32_t> order(res, keys.size());
    for_each_tile<1>(res, keys.size(), mark_kept{keys.data(), without.data(), without.size(), flags.data()});
    const std::size_t count = select(res, flags.data(), order.data(), keys.size());
    buffer<B, std::uint64_t> left(res, count);
    for_each_tile<1>(res, count, gather_keys{keys.data(), order.data(), left.data()});
    return left;
  }

  buffer<B, std::uint64_t> absent(const resources<B>& res, buffer<B, std::uint64_t> batch) const {
    return kept(res, batch, keys_);
  }

  static void place(const resources<B>& res, const buffer<B, std::uint64_t>& keys,
                    const buffer<B, std::uint64_t>& others, buffer<B, std::uint64_t>& merged) {
    for_each_tile<1>(res, keys.size(), place_merged{keys.data(), others.data(), others.size(), merged.data()});
  }

  void adopt(const resources<B>& res, buffer<B, std::uint64_t> keys) {
    keys_ = std::move(keys);
    for_each_tile<1>(res, offsets_.size(), find_row{keys_.data(), keys_.size(), offsets_.data()});
    res.synchronize();
  }

  buffer<B, std::uint64_t> keys_;
  buffer<B, std::uint64_t> offsets_;
};

}  // namespace mangrove::bench
