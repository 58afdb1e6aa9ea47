#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "mangrove/core/buffer.hpp"
#include "mangrove/core/detail/free_lists.hpp"
#include "mangrove/core/detail/pool_forecast.hpp"
#include "mangrove/core/detail/pool_memory.hpp"
#include "mangrove/core/detail/recut.hpp"
#include "mangrove/core/for_each_scratch.hpp"
#include "mangrove/core/grant_extents.hpp"
#include "mangrove/core/pool_ref.hpp"

namespace mangrove {

/// A growable pool of extents in one range of addresses; up to 2^32 granules, 128 GiB.
///
/// Batch operations work in three steps: count what they will take and give, `prepare` (which may throw and then has
/// changed nothing that anyone can see), run kernels with the `pool_ref`, and `commit`. One that does not want to wait
/// for its counts lets `grant_extents` decide on a `snapshot`, and calls `prepare` only if that refused. Not
/// thread-safe.
///
/// What an extent holds at first means nothing. A freed one serves the next request of its class; where `prepare` would
/// map more memory, it first cuts larger ones into what is short, and now and then joins those that lie side by side.
template <backend B>
class slab_pool {
 public:
  static constexpr std::size_t default_capacity = std::size_t{1} << 37;

  /// What kernels read of a granted demand.
  struct granted_books {
    struct {
      pool_demand demand;
      pool_verdict verdict;
    } asked;
    pool_ref::class_entry classes[size_classes];
  };

  /// A granted demand, until the next one is. Dropping it without `commit` leaves what is in use as it was.
  struct grant {
    pool_demand demand;
    buffer<B, granted_books> books;
    std::uint64_t end = 0;  ///< granules in use after the fresh extents

    [[nodiscard]] pool_ref ref() const { return pool_ref(books.data()->classes); }
  };

  /// Reserves addresses for `capacity` bytes, no memory yet. More than the default cannot be numbered and is not used.
  explicit slab_pool(const resources<B>& res, std::size_t capacity = default_capacity)
      : memory_(res, std::min(capacity, default_capacity)) {}

  /// The extent with index 0; extent i starts `i * granule_bytes` bytes after it.
  [[nodiscard]] std::byte* base() const noexcept { return memory_.data(); }

  /// Bytes of memory the pool holds, in use or not.
  [[nodiscard]] std::size_t bytes_committed() const noexcept { return memory_.mapped(); }

  /// Bytes of the lists of freed extents, beside the pool.
  [[nodiscard]] std::size_t bytes_of_lists() const noexcept { return lists_.bytes(); }

  /// Bytes in extents that are in use.
  [[nodiscard]] std::size_t bytes_in_use() const noexcept { return granules_in_use() * granule_bytes; }

  /// The books as they are, for `grant_extents`.
  [[nodiscard]] pool_snapshot snapshot() noexcept {
    return {lists_.snapshot(), end_, memory_.mapped() / granule_bytes};
  }

  /// Makes memory available for `demand`; what is given may turn out to be less. @throws memory_error with the pool,
  /// and what was granted before, as it was
  grant prepare(const resources<B>& res, const pool_demand& demand) {
    grant granted{demand, buffer<B, granted_books>(res, 1)};
    granted.end = make_fit(res, demand, {demand, 0}, {.expected = demand.given}, detail::pages_left::many);
    granted_books* const books = granted.books.data();
    const decltype(granted_books::asked) asked{demand, {}};
    copy(res, &books->asked, &asked, 1);
    const grant_extents place{snapshot(), &books->asked.demand, books->classes, &books->asked.verdict};
    for_each_tile_with_scratch<grant_extents::width, grant_extents::scratch_bytes>(res, 1, place);
    return granted;
  }

  /// A demand that gives every extent back that is in use: the most that an operation which takes none can give.
  [[nodiscard]] pool_demand all_given_back() const noexcept { return {{}, in_use_}; }

  /// Maps memory for extents of so many bytes in all, those in use included. @throws memory_error with the pool as it
  /// was
  void reserve(std::size_t bytes) { secure(bytes / granule_bytes + (bytes % granule_bytes != 0 ? 1 : 0)); }

  /// Bytes that are mapped and were never handed out.
  [[nodiscard]] std::size_t bytes_at_hand() const noexcept { return memory_.mapped() - end_ * granule_bytes; }

  /// Whether `expect` would have to look for memory.
  [[nodiscard]] bool is_short_of(const pool_demand& demand) const noexcept {
    return detail::granules_of(demand.taken) != 0 && end_for(lists_.counts(), with_spare(demand)) > mapped();
  }

  /// Whether `expect` would have to make room in lists of freed extents.
  [[nodiscard]] bool lacks_room_for(const pool_demand& demand) const noexcept {
    const detail::recut<B> nothing(lists_.counts());
    return !lists_.suffices(nothing.room(detail::likely_gifts(in_use_, demand, 0)), detail::pages_left::many);
  }

  /// Whether there is all for a demand, as far as a short look tells: `expect` takes the host longer than a launch
  /// does.
  [[nodiscard]] bool is_ready_for(const pool_demand& demand) const noexcept {
    return !lists_.is_tight_for(demand.given) && !is_short_of(demand);
  }

  /// Whether a demand that gives as much as the last one would be refused, or have to get lists pages.
  [[nodiscard]] bool lacks_pages() const noexcept { return lists_.is_tight(); }

  /// Makes room in lists of freed extents for what so many demands like this one are likely to give. As `expect`, for
  /// demands that take little.
  void expect_gifts(const resources<B>& res, const pool_demand& demand, std::uint32_t batches) {
    try {
      const detail::recut<B> nothing(lists_.counts());
      lists_.make_room(res, nothing.room(detail::likely_gifts(in_use_, demand, batches)), detail::pages_left::few);
    } catch (const memory_error&) {
      return;
    }
  }

  /// Makes memory available for demands like this one, where the caller has time for it: while a device works on what
  /// comes before. So the next `grant_extents` is likely to succeed, though classes may turn out to be others. What is
  /// refused is asked for again once it is needed. Waits for the device where extents are joined.
  /// @param batches like this one, for which lists of freed extents get room besides, so that it is made seldom
  void expect(const resources<B>& res, const pool_demand& demand, std::uint32_t batches = 0) {
    expect(res, demand, batches, batches == 0 ? detail::pages_left::many : detail::pages_left::few);
  }

  /// The same where nothing is known of the demand but how many bytes it may take, and how many extents it may give of
  /// those.
  void expect_any(const resources<B>& res, std::size_t bytes, std::size_t extents) {
    try {
      secure(grant_extents::align_to_slab(end_) + bytes / granule_bytes);
      lists_.make_room(res, detail::recut<B>(lists_.counts()).room(detail::any_gifts(in_use_, bytes, extents)),
                       detail::pages_left::many);
    } catch (const memory_error&) {
      return;
    }
  }

  /// The same with work aside. @param res nothing that is queued there before the aside rejoins it uses the pool
  void expect(const resources<B>& res, const pool_demand& demand, const resources<B>& aside) {
    expect(aside, demand, 0, detail::pages_left::few);
    lists_.hand_over_to(res);
  }

  /// Maps memory for so many bytes of new extents, where the caller has time for it and expects to need them soon:
  /// while it waits for a device. What is refused is asked for again once it is needed.
  void expect(std::size_t bytes) {
    try {
      memory_.plan_with(end_ * granule_bytes + bytes);
    } catch (const memory_error&) {
      return;
    }
  }

  /// Maps memory for the next demand that is likely, after one that `expect` had to map some for, where the caller has
  /// time for it: while it waits for a device. Only a pool that grows by little beside its size.
  void map_ahead() { memory_.map_ahead(); }

  /// As `expect`, as long as little of what has been handed out is free: else that shall serve first, cut and joined.
  void expect_more(std::size_t bytes) {
    constexpr std::size_t small_share = 8;  // one in so many
    const std::size_t handed_out = end_ * granule_bytes;
    if (handed_out - bytes_in_use() <= handed_out / small_share) expect(bytes);
  }

  /// Books that kernels have taken and given all that was granted.
  void commit(const grant& granted) noexcept { commit(granted, granted.demand.given); }

  /// The same where they have given less. @param given in fact
  void commit(const grant& granted, const detail::class_counts& given) noexcept {
    commit(granted.demand, given, granted.end);
  }

  /// Books what kernels have taken and given as `grant_extents` allowed.
  void commit(const pool_demand& granted, const detail::class_counts& given, const pool_verdict& verdict) noexcept {
    commit(granted, given, grant_extents::end_of(end_, verdict));
  }

 private:
  using class_counts = detail::class_counts;
  using ample_demand = detail::ample_demand;

  void expect(const resources<B>& res, const pool_demand& demand, std::uint32_t batches, detail::pages_left left) {
    try {
      make_fit(res, demand, with_spare(demand), detail::likely_gifts(in_use_, demand, batches), left);
    } catch (const memory_error&) {
      return;
    }
  }

  /// @param end granules handed out, as granted
  void commit(const pool_demand& granted, const class_counts& given, std::uint64_t end) noexcept {
    if (std::exchange(was_cut_, false)) in_use_when_cut_ = std::max(in_use_when_cut_, granules_in_use());
    lists_.book(granted, given);
    given_since_join_ += detail::granules_of(given);
    for (std::uint32_t c = 0; c < size_classes; ++c) in_use_[c] += granted.taken[c] - given[c];
    end_ = end;
    memory_.use(end * granule_bytes);
  }

  /// Freed extents are joined once a share of 1 / joins_after of what is mapped has been given back since the last
  /// time, so that the cost stays small beside that of giving; and when so many sixteenths of what is mapped are free.
  static constexpr std::uint64_t joins_after = 4;
  static constexpr std::uint64_t joins_from_sixteenths = 5;
  [[nodiscard]] std::uint64_t granules_in_use() const noexcept { return end_ - detail::granules_of(lists_.counts()); }

  /// Granules that there is memory for, as far as it is planned with.
  [[nodiscard]] std::uint64_t mapped() const noexcept { return memory_.planned() / granule_bytes; }

  /// Granules handed out once the demand is met, with so many freed extents.
  [[nodiscard]] std::uint64_t end_for(const class_counts& free, const pool_demand& demand) const noexcept {
    std::uint64_t end = grant_extents::align_to_slab(end_);
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      const std::uint64_t fresh = demand.taken[c] - std::min(demand.taken[c], free[c]);
      end += grant_extents::align_to_slab(fresh * size_class_granules(c));
    }
    return end;
  }

  [[nodiscard]] std::uint64_t end_for(const class_counts& free, const ample_demand& ample) const noexcept {
    return end_for(free, ample.demand) + ample.fresh;
  }

  [[nodiscard]] ample_demand with_spare(const pool_demand& demand) const noexcept {
    return detail::with_spare(demand, {mapped(), granules_in_use(), in_use_when_cut_});
  }

  /// Makes freed extents fit the demand, and maps memory for the rest.
  /// @param ample the demand, or more, which is to be met as well @param gifts extents that lists get room for
  /// @return granules handed out once the demand is met @throws memory_error with the pool as it was
  std::uint64_t make_fit(const resources<B>& res, const pool_demand& demand, const ample_demand& ample,
                         const detail::gifts& gifts, detail::pages_left left) {
    detail::recut<B> change = plan_recut(res, ample);
    secure(end_for(change.after(), ample));
    const std::uint64_t end = end_for(change.after(), demand);
    lists_.make_room(res, change.room(gifts), left);  // from here on nothing asks for memory
    change.make(res, lists_);
    if (change.joins()) given_since_join_ = 0;
    was_cut_ = was_cut_ || change.cuts();
    return end;
  }

  /// How freed extents come to fit the demand, where memory would have to be mapped without; as far as they can.
  [[nodiscard]] detail::recut<B> plan_recut(const resources<B>& res, const ample_demand& ample) {
    const class_counts free = lists_.counts();
    if (end_for(free, ample) <= mapped()) return detail::recut<B>(free);
    try {
      const class_counts all = detail::wanted(ample.demand, mapped());
      detail::recut<B> cuts(free, all);
      if (!join_pays(end_for(cuts.after(), ample))) return cuts;
      return detail::recut<B>(detail::joined_extents<B>(res, lists_, end_), all);
    } catch (const memory_error&) {
      return detail::recut<B>(free);  // the pool will have to grow
    }
  }

  /// Whether to join freed extents, where the pool would otherwise come to hand out `end` granules.
  [[nodiscard]] bool join_pays(std::uint64_t end) const noexcept {
    const std::uint64_t free = detail::granules_of(lists_.counts());
    if (end <= mapped() || free == 0) return false;
    if (end > memory_.capacity() / granule_bytes) return true;  // or the batch would fail
    return given_since_join_ >= mapped() / joins_after && free >= mapped() / 16 * joins_from_sixteenths;
  }

  /// Maps memory for so many granules. @throws memory_error with the pool as it was
  void secure(std::uint64_t end) { memory_.secure(end); }

  detail::pool_memory<B> memory_;
  detail::free_lists<B> lists_;
  class_counts in_use_{};  ///< extents
  std::uint64_t end_ = 0;
  std::uint64_t given_since_join_ = 0;  ///< granules
  std::uint64_t in_use_when_cut_ = 0;   ///< granules, at most, when extents were cut for a demand
  bool was_cut_ = false;                ///< since the last demand was met
};

}  // namespace mangrove
