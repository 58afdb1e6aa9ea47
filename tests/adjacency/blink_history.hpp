#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

/// @file
/// Histories of operations on one key of a map, and whether an order explains them.

namespace mangrove::test {

enum class key_operation : std::uint8_t { insert, assign, erase, find };

/// An operation with its answer. It took effect between two ticks of a clock that all threads share.
struct key_event {
  key_operation operation;
  std::uint32_t value;  ///< inserted, assigned or found
  bool succeeded;       ///< inserted, assigned what was absent, erased, or found
  std::uint64_t begin;
  std::uint64_t end;
};

/// Searches an order of at most 32 events in which each has the answer that it got, and no event stands before one that
/// had ended when it began.
class key_history {
 public:
  explicit key_history(std::vector<key_event> events) : events_(std::move(events)) {}

  [[nodiscard]] bool is_linearizable() { return explain(0, std::nullopt); }

 private:
  using contents = std::optional<std::uint32_t>;

  /// Whether the events that are not in `done` can follow, the key being as `now` says.
  bool explain(std::uint32_t done, contents now) {
    if (done == (std::uint64_t{1} << events_.size()) - 1) return true;
    if (!tried_.insert({done, now}).second) return false;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      contents after = now;
      if ((done >> i & 1) == 0 && may_be_next(done, i) && answers(events_[i], now, after) &&
          explain(done | 1U << i, after)) {
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] bool may_be_next(std::uint32_t done, std::size_t i) const {
    for (std::size_t k = 0; k < events_.size(); ++k) {
      if ((done >> k & 1) == 0 && events_[k].end < events_[i].begin) return false;
    }
    return true;
  }

  static bool answers(const key_event& event, const contents& now, contents& after) {
    switch (event.operation) {
      case key_operation::insert:
        if (!now) after = event.value;
        return event.succeeded == !now;
      case key_operation::assign:
        after = event.value;
        return event.succeeded == !now;
      case key_operation::erase:
        after = std::nullopt;
        return event.succeeded == now.has_value();
      default:
        return event.succeeded == now.has_value() && (!now || *now == event.value);
    }
  }

  std::vector<key_event> events_;
  std::set<std::pair<std::uint32_t, contents>> tried_;
};

}  // namespace mangrove::test
