#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "csr_bodies.hpp"
#include "mangrove/core/buffer.hpp"
#include "mangrove/core/bulk.hpp"
#include "mangrove/core/transfer.hpp"

/// @file
/// What a user does without a dynamic graph: keep all edges sorted, and for each batch sort it, merge it in (or take it
/// out) and make the offsets again. Same primitives as the graph: the difference is the data structure.

namespace mangrove::bench {

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

  /// Erases all edges that touch one of `count` vertices.
  void erase_vertices(const resources<B>& res, const std::uint32_t* vertices, std::size_t count) {
    buffer<B, std::uint8_t> marks(res, offsets_.size());
    buffer<B, std::uint8_t> flags(res, keys_.size());
    fill_bytes(res, marks.data(), 0, marks.size());
    for_each_tile<1>(res, count, mark_vertex{vertices, marks.data()});
    for_each_tile<1>(res, keys_.size(), mark_unmarked_ends{keys_.data(), marks.data(), flags.data()});
    adopt(res, selected(res, keys_, flags));
  }

  /// A copy of the edges, for `restore`.
  [[nodiscard]] buffer<B, std::uint64_t> save(const resources<B>& res) const {
    return make_buffer<B>(res, keys_.data(), keys_.size());
  }
  /// Makes the edges again what they were at `save`.
  void restore(const resources<B>& res, const buffer<B, std::uint64_t>& saved) {
    adopt(res, make_buffer<B>(res, saved.data(), saved.size()));
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
    for_each_tile<1>(res, keys.size(), mark_kept{keys.data(), without.data(), without.size(), flags.data()});
    return selected(res, keys, flags);
  }

  static buffer<B, std::uint64_t> selected(const resources<B>& res, const buffer<B, std::uint64_t>& keys,
                                           const buffer<B, std::uint8_t>& flags) {
    buffer<B, std::uint32_t> order(res, keys.size());
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
