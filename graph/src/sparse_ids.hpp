#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "id_lookup.hpp"
#include "id_places.hpp"
#include "mangrove/adjacency/slab_hash_map.hpp"
#include "mangrove/core/bulk.hpp"
#include "mangrove/core/growable_array.hpp"
#include "translated_updates.hpp"

namespace mangrove::detail {

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
    made.updates = {made.sources.data(), made.targets.data(), updates.kinds, updates.kind, updates.size};
    const bool all_are_new = known() == 0 && updates.size >= fewest_filtered && updates.kinds == nullptr &&
                             updates.kind == update_kind::insert;
    if (!all_are_new || !number_all(res, updates, made)) look_all_up(res, updates, made);
    made.index_count = next_index_;
    return made;
  }

  /// Called when the batch is applied. @param stale indices whose ids are no vertices any more
  void settle(buffer<B, std::uint32_t>&& stale) noexcept {
    assigned_ = {};
    stale_ = std::move(stale);
  }

 private:
  /// Updates from which repeats of unknown ids are filtered out before those are sorted.
  static constexpr std::size_t fewest_filtered = std::size_t{1} << 19;
  static constexpr std::size_t fewest_buckets = std::size_t{1} << 19;  ///< 16 MiB, which a GPU's L2 cache holds

  /// Ids that the map holds.
  [[nodiscard]] std::uint32_t known() const noexcept { return next_index_ - free_count_; }

  /// Ids of a batch, each once, and their places among `count`.
  struct placed_ids {
    buffer<B, std::uint64_t> ids;
    buffer<B, std::uint32_t> places;
    std::size_t count;
  };

  /// Gives the ids of inserts indices where none is known. @return false if there are too many, with nothing done
  bool number_all(const resources<B>& res, const id_updates<Vertex>& updates, translated_updates<B>& made) {
    std::optional<placed_ids> placed = place_all(res, updates, made);
    if (!placed) return false;
    auto& [ids, places, count] = *placed;
    sort_pairs(res, ids.data(), places.data(), ids.size(), 8 * sizeof(Vertex));
    buffer<B, std::uint32_t> by_place(res, count);
    give_indices(res, ids.data(), nullptr, ids.size());
    for_each_tile<1>(res, ids.size(), note_indices{places.data(), assigned_.data(), by_place.data()});
    for_each_tile<1>(res, updates.size, read_indices{by_place.data(), made.sources.data(), made.targets.data()});
    return true;
  }

  /// Sources and targets of `made` become places. @return nothing if there are too few
  std::optional<placed_ids> place_all(const resources<B>& res, const id_updates<Vertex>& updates,
                                      translated_updates<B>& made) const {
    const std::size_t buckets = std::bit_ceil(updates.size / id_places::ways);
    buffer<B, std::uint8_t> is_new(res, 2 * updates.size);
    buffer<B, std::uint64_t> memory(res, id_places::count_for(buckets));
    buffer<B, std::uint32_t> crowded(res, 1);
    fill_bytes(res, memory.data(), id_places::empty_byte, memory.size());
    fill_bytes(res, crowded.data(), 0, 1);
    for_each_tile<1>(res, updates.size,
                     place_ids<Vertex>{updates, id_places(memory.data(), buckets), made.sources.data(),
                                       made.targets.data(), is_new.data(), crowded.data()});
    if (read_back(res, crowded.data()) != 0) return {};
    buffer<B, std::uint32_t> kept(res, is_new.size());
    const std::size_t count = select(res, is_new.data(), kept.data(), is_new.size());
    placed_ids placed{buffer<B, std::uint64_t>(res, count), buffer<B, std::uint32_t>(res, count), memory.size()};
    const id_updates<std::uint32_t> by_place{made.sources.data(), made.targets.data(), nullptr, updates.kind,
                                             updates.size};
    for_each_tile<1>(res, count,
                     gather_placed<Vertex>{updates, by_place, kept.data(), placed.ids.data(), placed.places.data()});
    return placed;
  }

  /// Looks all ids up, and gives those that are unknown indices.
  void look_all_up(const resources<B>& res, const id_updates<Vertex>& updates, translated_updates<B>& made) {
    buffer<B, std::uint8_t> unknown(res, 2 * updates.size);
    buffer<B, std::uint32_t> any(res, 1);
    fill_bytes(res, any.data(), 0, 1);
    const auto look_up = [&](const recent_ids& recent) {
      for_each_tile<search_lanes<B>>(res, updates.size,
                                     look_up_ids<Vertex>{updates, map_.ref(), made.sources.data(), made.targets.data(),
                                                         unknown.data(), any.data(), recent});
    };
    {
      buffer<B, std::uint64_t> recent = make_recent(res, updates.size);
      look_up(recent.empty() ? recent_ids() : recent_ids(recent.data(), recent.size() / recent_ids::ways));
    }
    if (read_back(res, any.data()) == 0) return;
    admit_unknown(res, updates, unknown);
    look_up({});  // all are known now
  }

  /// Memory for telling repeats of unknown ids where there may be many: room for half of the ids that a batch names. Of
  /// fewer different ids, few sectors are touched.
  [[nodiscard]] buffer<B, std::uint64_t> make_recent(const resources<B>& res, std::size_t updates) const {
    if (updates < fewest_filtered || updates / 2 < known()) return {};
    const std::size_t buckets = std::max(fewest_buckets, std::bit_ceil(updates / recent_ids::ways));
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

  /// Gives the ids that `kept` points at indices.
  void admit(const resources<B>& res, const id_updates<Vertex>& updates, const std::uint32_t* kept, std::size_t count) {
    buffer<B, std::uint64_t> sorted(res, count);
    for_each_tile<1>(res, count, gather_unknown<Vertex>{updates, kept, sorted.data()});
    sort(res, sorted.data(), count, 0, 8 * sizeof(Vertex));
    buffer<B, std::uint8_t> first(res, count);
    buffer<B, std::uint32_t> unique(res, count);
    for_each_tile<1>(res, count, mark_first_id{sorted.data(), first.data()});
    give_indices(res, sorted.data(), unique.data(), select(res, first.data(), unique.data(), count));
  }

  /// Gives unknown ids, ascending, their indices. Once the map holds them, nothing throws.
  /// @param kept which of `sorted`; null for all
  void give_indices(const resources<B>& res, const std::uint64_t* sorted, const std::uint32_t* kept,
                    std::size_t count) {
    const auto fresh = static_cast<std::uint32_t>(count);
    const std::uint32_t reused = std::min(fresh, free_count_);
    if (fresh - reused > max_vertices - next_index_) {
      throw memory_error("a graph cannot hold more than " + std::to_string(max_vertices) + " vertices");
    }
    ids_.grow(next_index_ + (fresh - reused));
    buffer<B, Vertex> new_ids(res, fresh);
    buffer<B, std::uint32_t> new_indices(res, fresh);
    for_each_tile<1>(res, fresh,
                     assign_indices<Vertex>{sorted, kept, free_.data(), free_count_, next_index_, new_ids.data(),
                                            new_indices.data(), ids_.data()});
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
