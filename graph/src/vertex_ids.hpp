#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "id_range.hpp"
#include "indexed_updates.hpp"
#include "mangrove/adjacency/slab_hash_map.hpp"
#include "mangrove/core/bulk.hpp"
#include "mangrove/core/growable_array.hpp"
#include "mangrove/graph/graph_view.hpp"
#include "recent_ids.hpp"

/// @file
/// Vertex ids, as users know vertices, become indices into the dictionary.

namespace mangrove::detail {

/// Most vertices of a graph: indices above stand for marks of hash table slots and for "no vertex".
inline constexpr std::uint32_t max_vertices = ~std::uint32_t{0} - 8;

/// Body: an id is its index; ids that no vertex can have become `no_vertex`.
template <class Vertex>
struct narrow_ids {
  id_updates<Vertex> updates;
  std::uint32_t* sources;
  std::uint32_t* targets;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    sources[i] = narrow(updates.sources[i]);
    targets[i] = names_edge(updates.kind_of(i)) ? narrow(updates.targets[i]) : no_vertex;
  }

  MANGROVE_HOST_DEVICE static std::uint32_t narrow(Vertex id) {
    return id < max_vertices ? static_cast<std::uint32_t>(id) : no_vertex;
  }
};

/// Body: looks ids up, each by one lane on CUDA; marks those that are unknown and must come to be, but for most repeats
/// of one.
template <class Vertex>
struct look_up_ids {
  id_updates<Vertex> updates;
  slab_hash_ref<Vertex, std::uint32_t> indices;
  std::uint32_t* sources;
  std::uint32_t* targets;
  std::uint8_t* unknown;  ///< two flags an update: source, target
  std::uint32_t* any;     ///< set if there are any
  recent_ids recent;
  bool knows_any;  ///< whether the map holds any id, so that looking for one may pay

  static constexpr int prefetch_stages = 1;

  template <int Stage>
  void prefetch(std::size_t i) const {
    indices.prefetch(updates.sources[i]);
    indices.prefetch(updates.targets[i]);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const update_kind kind = updates.kind_of(i);
    const std::uint32_t source = find(tile, updates.sources[i]);
    const std::uint32_t target = names_edge(kind) ? find(tile, updates.targets[i]) : no_vertex;
    if (tile.lane() != 0) return;
    sources[i] = source;
    targets[i] = target;
    const bool new_source = creates(kind) && source == no_vertex && recent.lets_through(updates.sources[i]);
    const bool new_target =
        kind == update_kind::insert && target == no_vertex && recent.lets_through(updates.targets[i]);
    unknown[2 * i] = new_source;
    unknown[2 * i + 1] = new_target;
    if ((new_source || new_target) && load_maybe_old(any) == 0) store_relaxed(any, 1U);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE std::uint32_t find(const Tile& tile, Vertex id) const {
    if (!knows_any) return no_vertex;
    const auto found = indices.template find<access::plain>(tile, id);
    return found ? *found : no_vertex;
  }
};

/// Body: collects unknown ids, as 64-bit numbers to sort.
template <class Vertex>
struct gather_unknown {
  id_updates<Vertex> updates;
  const std::uint32_t* kept;
  std::uint64_t* ids;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    ids[i] = kept[i] % 2 == 0 ? updates.sources[kept[i] / 2] : updates.targets[kept[i] / 2];
  }
};

/// Body: marks the first of every run of equal ids.
struct mark_first_id {
  const std::uint64_t* ids;
  std::uint8_t* flags;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    flags[i] = i == 0 || ids[i] != ids[i - 1];
  }
};

/// Body: gives a new id its index: a free one while there are any, then the next never used.
template <class Vertex>
struct assign_indices {
  const std::uint64_t* sorted_ids;
  const std::uint32_t* kept;
  const std::uint32_t* free_indices;
  std::uint32_t free_count;
  std::uint32_t next_index;
  Vertex* new_ids;
  std::uint32_t* new_indices;
  Vertex* id_by_index;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const auto k = static_cast<std::uint32_t>(i);
    const std::uint32_t index = k < free_count ? free_indices[free_count - 1 - k] : next_index + (k - free_count);
    const auto id = static_cast<Vertex>(sorted_ids[kept[i]]);
    new_ids[i] = id;
    new_indices[i] = index;
    id_by_index[index] = id;
  }
};

/// Body: reads the ids of indices.
template <class Vertex>
struct gather_ids {
  const Vertex* id_by_index;
  const std::uint32_t* indices;
  Vertex* ids;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    ids[i] = id_by_index[indices[i]];
  }
};

/// A translated batch, and the arrays that it may need.
template <backend B>
struct translated_updates {
  buffer<B, std::uint32_t> sources;
  buffer<B, std::uint32_t> targets;
  indexed_updates updates;
  std::uint32_t index_count = 0;  ///< of the graph once the batch is applied
  bool loops = true;              ///< false: no insert names a self loop
};

[[noreturn]] inline void throw_unplaceable(std::uint64_t id) {
  throw usage_error("a vertex id of at least " + std::to_string(id) + " is too large to be a position (at most " +
                    std::to_string(max_vertices - 1) + "); make the graph with id_space::sparse");
}

/// Dense ids: the id is the index.
template <backend B, class Vertex>
translated_updates<B> translate_dense(const resources<B>& res, const id_updates<Vertex>& updates,
                                      std::uint32_t index_count) {
  translated_updates<B> made;
  buffer<B, id_range> range(res, 1);
  fill_bytes(res, range.data(), 0, 1);
  using body = find_id_range<Vertex>;
  for_each_task<32>(res, body::calls_for(updates.size), body{updates, range.data()});
  const auto [limit, loops] = read_back(res, range.data());
  if (limit > max_vertices) throw_unplaceable(limit - 1);
  made.index_count = std::max(index_count, static_cast<std::uint32_t>(limit));
  made.loops = loops != 0;
  if constexpr (sizeof(Vertex) == sizeof(std::uint32_t)) {
    made.updates = {updates.sources, updates.targets, updates.kinds, updates.kind, updates.size};
  } else {
    made.sources = buffer<B, std::uint32_t>(res, updates.size);
    made.targets = buffer<B, std::uint32_t>(res, updates.size);
    for_each_tile<1>(res, updates.size, narrow_ids<Vertex>{updates, made.sources.data(), made.targets.data()});
    made.updates = {made.sources.data(), made.targets.data(), updates.kinds, updates.kind, updates.size};
  }
  return made;
}

/// Sparse ids: a hash map from id to index, an array from index to id, and a stack of indices to use again.
///
/// A batch gives new ids their indices when it is prepared. Those that do not end up as vertices, because the batch
/// failed, was dropped or erased them again, are stale, as are the ids of erased vertices: the next batch takes them
/// out of the map first.
template <backend B, class Vertex>
class sparse_ids {
 public:
  explicit sparse_ids(const resources<B>& res) : map_(res), ids_(res, max_vertices), free_(res, max_vertices) {}

  [[nodiscard]] const Vertex* ids() const noexcept { return ids_.data(); }
  [[nodiscard]] slab_hash_ref<Vertex, std::uint32_t> ref() const { return map_.ref(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return map_.bytes() + ids_.bytes() + free_.bytes(); }

  /// Indices that the last translation handed out, in the backend's memory.
  [[nodiscard]] const buffer<B, std::uint32_t>& assigned() const noexcept { return assigned_; }

  translated_updates<B> translate(const resources<B>& res, const id_updates<Vertex>& updates) {
    purge(res, assigned_);
    purge(res, stale_);
    translated_updates<B> made;
    made.sources = buffer<B, std::uint32_t>(res, updates.size);
    made.targets = buffer<B, std::uint32_t>(res, updates.size);
    buffer<B, std::uint8_t> unknown(res, 2 * updates.size);
    buffer<B, std::uint32_t> any(res, 1);
    fill_bytes(res, any.data(), 0, 1);
    const auto look_up = [&](const recent_ids& recent) {
      for_each_tile<search_lanes<B>>(res, updates.size,
                                     look_up_ids<Vertex>{updates, map_.ref(), made.sources.data(), made.targets.data(),
                                                         unknown.data(), any.data(), recent, known() != 0});
    };
    {
      buffer<B, std::uint64_t> recent = make_recent(res, updates.size);
      look_up(recent.empty() ? recent_ids() : recent_ids(recent.data(), recent.size() / recent_ids::ways));
    }
    if (read_back(res, any.data()) != 0) {
      admit_unknown(res, updates, unknown);
      look_up({});  // all are known now
    }
    made.index_count = next_index_;
    made.updates = {made.sources.data(), made.targets.data(), updates.kinds, updates.kind, updates.size};
    return made;
  }

  /// Called when the batch is applied. @param stale indices whose ids are no vertices any more
  void settle(buffer<B, std::uint32_t>&& stale) noexcept {
    assigned_ = {};
    stale_ = std::move(stale);
  }

 private:
  static constexpr std::size_t fewest_recent = std::size_t{1} << 19;  ///< buckets: 16 MiB, which a GPU's L2 cache holds

  /// Ids that the map holds.
  [[nodiscard]] std::uint32_t known() const noexcept { return next_index_ - free_count_; }

  /// Memory for telling repeats of unknown ids where there may be many: room for half of the ids that a batch names. Of
  /// fewer different ids, few sectors are touched.
  [[nodiscard]] buffer<B, std::uint64_t> make_recent(const resources<B>& res, std::size_t updates) const {
    if (updates < fewest_recent || updates / 2 < known()) return {};
    const std::size_t buckets = std::max(fewest_recent, std::bit_ceil(updates / recent_ids::ways));
    buffer<B, std::uint64_t> made(res, buckets * recent_ids::ways);
    fill_bytes(res, made.data(), recent_ids::empty_byte, made.size());
    return made;
  }

  void admit_unknown(const resources<B>& res, const id_updates<Vertex>& updates,
                     const buffer<B, std::uint8_t>& unknown) {
    buffer<B, std::uint32_t> kept(res, unknown.size());
    admit(res, updates, kept.data(), select(res, unknown.data(), kept.data(), unknown.size()));
  }

  /// Takes the ids of `indices` out of the map. If memory is refused half way, the next batch does the rest.
  void purge(const resources<B>& res, buffer<B, std::uint32_t>& indices) {
    if (indices.empty()) return;
    const std::size_t count = indices.size();
    free_.reserve(free_count_ + count);
    buffer<B, Vertex> gone(res, count);
    for_each_tile<1>(res, count, gather_ids<Vertex>{ids_.data(), indices.data(), gone.data()});
    map_.erase(res, gone.data(), count);
    free_.grow(free_count_ + count);
    copy(res, free_.data() + free_count_, indices.data(), count);
    free_count_ += static_cast<std::uint32_t>(count);
    indices = {};
  }

  /// Gives the ids that `kept` points at indices. Once the map holds them, nothing throws.
  void admit(const resources<B>& res, const id_updates<Vertex>& updates, const std::uint32_t* kept, std::size_t count) {
    buffer<B, std::uint64_t> sorted(res, count);
    for_each_tile<1>(res, count, gather_unknown<Vertex>{updates, kept, sorted.data()});
    sort(res, sorted.data(), count, 0, 8 * sizeof(Vertex));
    buffer<B, std::uint8_t> first(res, count);
    buffer<B, std::uint32_t> unique(res, count);
    for_each_tile<1>(res, count, mark_first_id{sorted.data(), first.data()});
    const auto fresh = static_cast<std::uint32_t>(select(res, first.data(), unique.data(), count));
    const std::uint32_t reused = std::min(fresh, free_count_);
    if (fresh - reused > max_vertices - next_index_) {
      throw memory_error("a graph cannot hold more than " + std::to_string(max_vertices) + " vertices");
    }
    ids_.grow(next_index_ + (fresh - reused));
    buffer<B, Vertex> new_ids(res, fresh);
    buffer<B, std::uint32_t> new_indices(res, fresh);
    for_each_tile<1>(res, fresh,
                     assign_indices<Vertex>{sorted.data(), unique.data(), free_.data(), free_count_, next_index_,
                                            new_ids.data(), new_indices.data(), ids_.data()});
    map_.insert_absent(res, new_ids.data(), new_indices.data(), fresh);
    free_count_ -= reused;
    next_index_ += fresh - reused;
    assigned_ = std::move(new_indices);
  }

  slab_hash_map<B, Vertex, std::uint32_t> map_;
  growable_array<B, Vertex> ids_;
  growable_array<B, std::uint32_t> free_;
  std::uint32_t free_count_ = 0;
  std::uint32_t next_index_ = 0;
  buffer<B, std::uint32_t> assigned_;
  buffer<B, std::uint32_t> stale_;
};

}  // namespace mangrove::detail
