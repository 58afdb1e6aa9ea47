#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "indexed_updates.hpp"
#include "mangrove/core/buffer.hpp"
#include "mangrove/core/bulk.hpp"

/// @file
/// From a batch to its last update on every directed edge: sort by (source, target, position), keep the last of equals.

namespace mangrove::detail {

/// How (source, target, position) become a 64-bit sort key: all three where they fit, else the position travels beside.
struct sort_format {
  std::uint32_t index_bits;
  std::uint32_t sequence_bits;
  bool packed;

  static sort_format for_batch(std::uint32_t index_count, std::size_t updates) {
    const auto index_bits = std::max<std::uint32_t>(1, std::bit_width(index_count));
    const auto sequence_bits = static_cast<std::uint32_t>(std::bit_width(updates));
    return {index_bits, sequence_bits, 2 * index_bits + sequence_bits <= 64};
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t shift() const { return packed ? sequence_bits : 0; }
  /// Above every pair of indices, so that it sorts last: no index has all bits set.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t dropped() const {
    return ~std::uint64_t{0} >> (64 - 2 * index_bits) << shift();
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t key(std::uint32_t u, std::uint32_t v, std::uint32_t sequence) const {
    const std::uint64_t pair = static_cast<std::uint64_t>(u) << index_bits | v;
    return packed ? pair << sequence_bits | sequence : pair;
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t pair(std::uint64_t key) const { return key >> shift(); }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t edge(std::uint64_t key) const {
    const std::uint64_t both = pair(key);
    const std::uint64_t mask = (std::uint64_t{1} << index_bits) - 1;
    return edge_key(static_cast<std::uint32_t>(both >> index_bits), static_cast<std::uint32_t>(both & mask));
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t sequence(std::uint64_t key) const {
    return static_cast<std::uint32_t>(key & ((std::uint64_t{1} << sequence_bits) - 1));
  }
};

/// Edges that go because a vertex goes, as updates at the position of the update that erases the vertex.
struct detached_edges {
  const std::uint32_t* sources = nullptr;
  const std::uint32_t* targets = nullptr;
  const std::uint32_t* sequences = nullptr;
  std::size_t size = 0;
};

/// Body: entry i of the batch, then of the detached edges, becomes one sort key, or two when edges are undirected.
struct build_sort_keys {
  indexed_updates updates;
  detached_edges detached;
  sort_format format;
  edge_direction direction;
  self_loops loops;
  std::uint32_t index_count;
  std::uint64_t* keys;
  std::uint32_t* sequences;  ///< null when packed

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const bool in_batch = i < updates.size;
    const std::size_t at = in_batch ? i : i - updates.size;
    const std::uint32_t u = in_batch ? updates.sources[at] : detached.sources[at];
    const std::uint32_t v = in_batch ? updates.targets[at] : detached.targets[at];
    const std::uint32_t sequence = in_batch ? static_cast<std::uint32_t>(at) : detached.sequences[at];
    const bool valid = (!in_batch || names_edge(updates.kind_of(at))) && u < index_count && v < index_count &&
                       (u != v || loops == self_loops::keep);
    if (direction == edge_direction::directed) {
      put(i, valid, u, v, sequence);
    } else {
      put(2 * i, valid, u, v, sequence);
      put(2 * i + 1, valid && u != v, v, u, sequence);
    }
  }

  MANGROVE_HOST_DEVICE void put(std::size_t at, bool valid, std::uint32_t u, std::uint32_t v,
                                std::uint32_t sequence) const {
    keys[at] = valid ? format.key(u, v, sequence) : format.dropped();
    if (sequences != nullptr) sequences[at] = sequence;
  }
};

/// Body: marks the last of every run of equal edges.
struct mark_last {
  const std::uint64_t* keys;
  std::size_t count;
  sort_format format;
  std::uint8_t* flags;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    flags[i] = is_last(i);
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE bool is_last(std::size_t i) const {
    const std::uint64_t pair = format.pair(keys[i]);
    const bool last = i + 1 == count || format.pair(keys[i + 1]) != pair;
    return last && pair != format.pair(format.dropped());
  }
};

/// Body: reads the kept keys back into edges and positions.
struct unpack_edges {
  const std::uint64_t* keys;
  const std::uint32_t* sorted_sequences;  ///< null when packed
  const std::uint32_t* kept;
  sort_format format;
  std::uint64_t* edges;
  std::uint32_t* sequences;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const std::uint32_t at = kept[i];
    edges[i] = format.edge(keys[at]);
    sequences[i] = sorted_sequences == nullptr ? format.sequence(keys[at]) : sorted_sequences[at];
  }
};

/// Body: widens positions to sort keys and numbers them.
struct number_sequences {
  const std::uint32_t* sequences;
  std::uint64_t* keys;
  std::uint32_t* numbers;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    keys[i] = sequences[i];
    numbers[i] = static_cast<std::uint32_t>(i);
  }
};

/// Body: `to[i] = from[order[i]]` for keys and positions.
struct reorder_keys {
  const std::uint32_t* order;
  const std::uint64_t* keys_from;
  const std::uint32_t* sequences_from;
  std::uint64_t* keys_to;
  std::uint32_t* sequences_to;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    keys_to[i] = keys_from[order[i]];
    sequences_to[i] = sequences_from[order[i]];
  }
};

/// The last update on every directed edge, ascending by edge.
template <backend B>
struct last_updates {
  buffer<B, std::uint64_t> edges;
  buffer<B, std::uint32_t> sequences;
  std::size_t size = 0;
};

template <backend B>
class edge_sorter {
 public:
  edge_sorter(const resources<B>& res, const graph_options& options, std::uint32_t index_count)
      : res_(res), options_(options), index_count_(index_count) {}

  [[nodiscard]] last_updates<B> run(const indexed_updates& updates, const detached_edges& detached) const {
    const sort_format format = sort_format::for_batch(index_count_, updates.size);
    const std::size_t entries = updates.size + detached.size;
    const std::size_t count = options_.direction == edge_direction::directed ? entries : 2 * entries;
    buffer<B, std::uint64_t> keys(res_, count);
    buffer<B, std::uint32_t> sequences(res_, format.packed ? 0 : count);
    for_each_tile<1>(res_, entries,
                     build_sort_keys{updates, detached, format, options_.direction, options_.loops, index_count_,
                                     keys.data(), sequences.data()});
    sort_entries(format, keys, sequences, detached.size != 0);
    return keep_last(format, keys, sequences);
  }

 private:
  /// Positions ascend in the order in which entries were built, unless there are detached edges.
  void sort_entries(const sort_format& format, buffer<B, std::uint64_t>& keys, buffer<B, std::uint32_t>& sequences,
                    bool out_of_order) const {
    const int bits = static_cast<int>(2 * format.index_bits);
    if (format.packed) {
      const int shift = static_cast<int>(format.sequence_bits);
      sort(res_, keys.data(), keys.size(), out_of_order ? 0 : shift, shift + bits);
      return;
    }
    if (out_of_order) sort_by_sequence(keys, sequences);
    sort_pairs(res_, keys.data(), sequences.data(), keys.size(), bits);
  }

  void sort_by_sequence(buffer<B, std::uint64_t>& keys, buffer<B, std::uint32_t>& sequences) const {
    const std::size_t count = keys.size();
    buffer<B, std::uint64_t> wide(res_, count);
    buffer<B, std::uint32_t> order(res_, count);
    for_each_tile<1>(res_, count, number_sequences{sequences.data(), wide.data(), order.data()});
    sort_pairs(res_, wide.data(), order.data(), count, 32);
    buffer<B, std::uint32_t> sorted(res_, count);
    for_each_tile<1>(res_, count,
                     reorder_keys{order.data(), keys.data(), sequences.data(), wide.data(), sorted.data()});
    keys = std::move(wide);
    sequences = std::move(sorted);
  }

  [[nodiscard]] last_updates<B> keep_last(const sort_format& format, const buffer<B, std::uint64_t>& keys,
                                          const buffer<B, std::uint32_t>& sequences) const {
    const std::size_t count = keys.size();
    buffer<B, std::uint8_t> flags(res_, count);
    buffer<B, std::uint32_t> kept(res_, count);
    for_each_tile<1>(res_, count, mark_last{keys.data(), count, format, flags.data()});
    const std::size_t size = select(res_, flags.data(), kept.data(), count);
    last_updates<B> last{{res_, size}, {res_, size}, size};
    for_each_tile<1>(
        res_, size,
        unpack_edges{keys.data(), sequences.data(), kept.data(), format, last.edges.data(), last.sequences.data()});
    return last;
  }

  const resources<B>& res_;
  graph_options options_;
  std::uint32_t index_count_;
};

}  // namespace mangrove::detail
