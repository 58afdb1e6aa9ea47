#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "id_numbering.hpp"
#include "id_survey.hpp"
#include "mangrove/core/bulk.hpp"
#include "translated_updates.hpp"

namespace mangrove::detail {

/// The different ids of a batch of inserts, none of which has an index yet, in a table. See `id_numbering.hpp`.
template <backend B, class Vertex>
class first_ids {
 public:
  /// Finds them. Sources and targets of `made` become their places; what is known of the batch is noted there. Waits.
  /// @param make_room is called with how many there may be, at most, while the device looks for them
  /// @return nothing if there are too many
  /// @throws memory_error
  template <class F>
  static std::optional<first_ids> place(const resources<B>& res, const id_updates<Vertex>& updates,
                                        translated_updates<B>& made, const F& make_room) {
    const id_survey survey = survey_ids<B>(res, updates);
    const std::size_t homes = survey.different / ids_a_bucket + 1;
    if (homes > id_places::most_homes) return {};
    first_ids all(res, homes, survey.spread);
    all.place_all(res, updates, made);
    make_room(survey.different);
    const placed_ids placed = read_back(res, all.found());
    if (placed.crowded != 0) return {};
    all.size_ = placed.count;
    made.loops = survey.loops;
    return all;
  }

  /// How many there are.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Gives them indices. @throws memory_error
  void index(const resources<B>& res, const new_id_list<Vertex>& list) {
    indices_ = list.indices;
    if (spread_) {
      index_by_hash(res, list);
    } else {
      index_by_id(res, list);
    }
  }

  /// Sources and targets of `made` become their indices. Allocates nothing.
  void read(const resources<B>& res, translated_updates<B>& made) const {
    if (spread_) {
      read_from(res, numbered_places{numbers_.data(), indices_}, made);
    } else {
      read_from(res, indexed_places{by_place_.data()}, made);
    }
  }

 private:
  static constexpr std::size_t ids_a_bucket = 2;  ///< on average

  first_ids(const resources<B>& res, std::size_t homes, bool spread)
      : memory_(res, id_places::count_for(homes)),
        places_(memory_.data(), homes),
        before_(res, buckets() + sizeof(placed_ids) / sizeof(std::uint32_t)),
        spread_(spread) {}

  /// Of the table, and one for the last place.
  [[nodiscard]] std::size_t buckets() const { return places_.buckets() + std::size_t{1}; }

  /// Where what is found out about the batch stands, behind the last bucket's number.
  [[nodiscard]] placed_ids* found() { return reinterpret_cast<placed_ids*>(before_.data() + buckets()); }

  /// Queues it.
  void place_all(const resources<B>& res, const id_updates<Vertex>& updates, translated_updates<B>& made) {
    buffer<B, std::uint32_t> counts(res, buckets());
    fill_bytes(res, memory_.data(), id_places::empty_byte, memory_.size());
    fill_bytes(res, found(), 0, 1);
    for_each_tile<1>(res, updates.size,
                     place_ids<Vertex>{updates, places_, made.sources.data(), made.targets.data(), found()});
    for_each_tile<1>(res, buckets(), count_places{places_, counts.data(), found()});
    exclusive_scan(res, counts.data(), before_.data(), buckets());  // the last one is their number
  }

  void index_by_hash(const resources<B>& res, const new_id_list<Vertex>& list) {
    numbers_ = buffer<B, bucket_numbers>(res, buckets());
    for_each_tile<1>(res, memory_.size(), number_ids<Vertex>{places_, before_.data(), numbers_.data(), list});
  }

  /// In ascending order of ids: those that are near each other are likely to be neighbours.
  void index_by_id(const resources<B>& res, const new_id_list<Vertex>& list) {
    buffer<B, std::uint64_t> sorted(res, size_);
    buffer<B, std::uint32_t> places_of(res, size_);
    by_place_ = buffer<B, std::uint32_t>(res, memory_.size());
    for_each_tile<1>(res, memory_.size(), list_placed{places_, before_.data(), sorted.data(), places_of.data()});
    sort_pairs(res, sorted.data(), places_of.data(), size_, 8 * sizeof(Vertex));
    for_each_tile<1>(res, size_, index_sorted<Vertex>{sorted.data(), places_of.data(), by_place_.data(), list});
  }

  template <class Places>
  static void read_from(const resources<B>& res, const Places& places, translated_updates<B>& made) {
    for_each_tile<1>(res, made.sources.size(), read_indices<Places>{places, made.sources.data(), made.targets.data()});
  }

  buffer<B, std::uint64_t> memory_;
  id_places places_;
  buffer<B, std::uint32_t> before_;  ///< numbers of ids before each bucket, and behind them what is found
  std::size_t size_ = 0;
  bool spread_;
  index_supply indices_{};
  buffer<B, bucket_numbers> numbers_;  ///< of spread ids
  buffer<B, std::uint32_t> by_place_;  ///< indices of others
};

}  // namespace mangrove::detail
