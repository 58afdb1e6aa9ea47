#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "batch_job.hpp"
#include "batch_outlook.hpp"
#include "mangrove/core/slab_pool.hpp"
#include "mangrove/core/work_aside.hpp"

namespace mangrove::detail {

/// What the host does for the pool while a device works on a batch: it sees to it that there is memory for what the
/// batch is likely to take, and room in lists for what it is likely to give. What the pool cannot get is asked for
/// again once it is needed, so nothing here fails.
template <backend B>
class pool_provision {
 public:
  /// @param updates of the batch, directed
  pool_provision(const resources<B>& res, slab_pool<B>& pool, const batch_outlook& outlook, std::size_t updates)
      : res_(res), pool_(pool), outlook_(outlook), updates_(updates) {}

  /// For a batch that takes several launches: call this when the first one is queued. What `provide` then has to queue
  /// does not wait for those after it.
  void begin() {
    if (outlook_.is_first() || !is_long()) return;
    const pool_demand likely = outlook_.demand(updates_);
    if (pool_.is_short_of(likely) || pool_.lacks_room_for(likely)) aside_.emplace(res_);
  }

  /// After `begin`, when the others are queued. @param way how the batch is grouped
  void provide(grouping way) {
    if (outlook_.is_first()) return provide_any(way);
    if (aside_) {
      pool_.expect(res_, outlook_.demand(updates_), aside_->res());
      aside_->rejoin();
    } else if (!is_long()) {
      provide_soon();
    }
  }

  /// For a batch that is one launch, before it: room for what it is likely to give. Mostly there is: then it takes no
  /// time.
  void make_room_for_gifts() {
    if (pool_.lacks_pages()) pool_.expect_gifts(res_, outlook_.demand(updates_), batches_ahead());
  }

  /// While the host waits for a batch: the next one is likely to take as much memory that is new as the last one did.
  /// @param way how the batch is grouped
  void map_ahead(grouping way) {
    if (way == grouping::chains) {
      pool_.expect_more(2 * outlook_.fresh_bytes());
    } else {
      pool_.map_ahead();
    }
  }

 private:
  /// Whether a device takes so long to group the batch that beginning work aside, and rejoining it, is worth the time.
  [[nodiscard]] bool is_long() const { return updates_ >= std::size_t{1} << 19; }

  /// For a graph's first batch. An update is likely to take so many bytes at most: tables become twice as large or
  /// more, and the old ones are given back later; most other graphs have arrays, of a few updates each.
  void provide_any(grouping way) {
    const bool tables = finds_hubs(way);
    pool_.expect_any(res_, updates_ * (tables ? 16 : 8), updates_ / (tables ? 16 : 4));
  }

  /// For a batch that a device has soon grouped.
  void provide_soon() {
    const pool_demand likely = outlook_.demand(updates_);
    if (!pool_.is_ready_for(likely)) pool_.expect(res_, likely, batches_ahead());
  }

  /// For how many batches more like this one lists get room. Small ones would spend some of their time on that.
  [[nodiscard]] std::uint32_t batches_ahead() const {
    constexpr std::uint32_t of_small_ones = 32;
    return !is_long() && outlook_.is_like_last(updates_) ? of_small_ones : 0;
  }

  const resources<B>& res_;
  slab_pool<B>& pool_;
  const batch_outlook& outlook_;
  const std::size_t updates_;
  std::optional<work_aside<B>> aside_;
};

}  // namespace mangrove::detail
