#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "first_ids.hpp"
#include "id_lookup.hpp"
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

  /// Ids that get indices.
  struct new_vertex_ids {
    buffer<B, Vertex> ids;
    buffer<B, std::uint32_t> indices;
  };

  /// Gives the ids of inserts indices where none is known. @return false if there are too many, with nothing done
  bool number_all(const resources<B>& res, const id_updates<Vertex>& updates, translated_updates<B>& made) {
    const auto reserve = [&](std::size_t most) {
      ids_.reserve(std::min(ids_.capacity(), next_index_ + most - reused(most)));
    };
    std::optional<first_ids<B, Vertex>> first = first_ids<B, Vertex>::place(res, updates, made, reserve);
    if (!first) return false;
    new_vertex_ids fresh = make_room(res, first->size());
    first->index(res, list_of(fresh));
    admit(res, std::move(fresh));
    first->read(res, made);  // last: the host goes on to what comes next while the device reads
    return true;
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
    admit_kept(res, updates, kept.data(), select(res, unknown.data(), kept.data(), unknown.size()));
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

  /// Gives the ids that `kept` points at indices, in ascending order.
  void admit_kept(const resources<B>& res, const id_updates<Vertex>& updates, const std::uint32_t* kept,
                  std::size_t count) {
    buffer<B, std::uint64_t> sorted(res, count);
    for_each_tile<1>(res, count, gather_unknown<Vertex>{updates, kept, sorted.data()});
    sort(res, sorted.data(), count, 0, 8 * sizeof(Vertex));
    buffer<B, std::uint8_t> first(res, count);
    buffer<B, std::uint32_t> unique(res, count);
    for_each_tile<1>(res, count, mark_first_id{sorted.data(), first.data()});
    new_vertex_ids fresh = make_room(res, select(res, first.data(), unique.data(), count));
    for_each_tile<1>(res, fresh.ids.size(), assign_indices<Vertex>{sorted.data(), unique.data(), list_of(fresh)});
    admit(res, std::move(fresh));
  }

  [[nodiscard]] new_id_list<Vertex> list_of(new_vertex_ids& fresh) {
    const index_supply indices{free_.data(), free_count_, next_index_};
    return {indices, fresh.ids.data(), fresh.indices.data(), ids_.data()};
  }

  [[nodiscard]] std::uint32_t reused(std::size_t count) const {
    return static_cast<std::uint32_t>(std::min<std::size_t>(count, free_count_));
  }

  /// Memory for so many new ids.
  new_vertex_ids make_room(const resources<B>& res, std::size_t count) {
    const std::size_t more = count - reused(count);
    if (more > max_vertices - next_index_) {
      throw memory_error("a graph cannot hold more than " + std::to_string(max_vertices) + " vertices");
    }
    ids_.grow(next_index_ + more);
    return {buffer<B, Vertex>(res, count), buffer<B, std::uint32_t>(res, count)};
  }

  /// Puts new ids, which the array from index to id has, into the map. Once that holds them, nothing throws.
  void admit(const resources<B>& res, new_vertex_ids&& fresh) {
    const std::size_t count = fresh.ids.size();
    map_.insert_absent(res, fresh.ids.data(), fresh.indices.data(), count);
    const std::uint32_t again = reused(count);
    free_count_ -= again;
    next_index_ += static_cast<std::uint32_t>(count) - again;
    assigned_ = std::move(fresh.indices);
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
