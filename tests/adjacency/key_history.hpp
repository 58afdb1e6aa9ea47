#pragma once

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

/// @file
/// Histories of operations on one key of a map, and whether an order explains them. Operations on single keys of a map
/// are linearizable if and only if those on each key are, so keys are looked at one by one.

namespace mangrove::test {

enum class key_operation : std::uint32_t { insert, assign, erase, find };

/// An operation with its answer. It took effect between two ticks of a clock that all threads share.
struct key_event {
  std::uint32_t key;  ///< the number of the key
  key_operation operation;
  std::uint64_t value;  ///< inserted, assigned or found
  std::uint64_t begin;
  std::uint64_t end;
  bool succeeded;  ///< inserted, assigned what was absent, erased, or found
};

/// Searches an order in which each event has the answer that it got, and no event stands before one that had ended when
/// it began: Wing and Gong's search, which forgets no state that it has tried, with two rules that leave it little to
/// try.
///
/// - What may come next and leaves the state as it is comes next: it can stand first in any order that there is. Where
///   an assignment does so only because the value is there already, it may be needed later.
/// - Of events with the same effect that may come next, the one that ended first does: two in the other order can
/// change
///   places. A value that nobody is going to find is as good as any other such value.
class key_history {
 public:
  using contents = std::optional<std::uint64_t>;

  static constexpr std::size_t most_events = 1024;
  static constexpr std::size_t most_states = std::size_t{1} << 18;

  /// @param events on one key @param before what the key's value was at first
  /// @throws std::length_error for more than `most_events`
  explicit key_history(std::vector<key_event> events, contents before = std::nullopt)
      : events_(std::move(events)), before_(before) {
    if (events_.size() > most_events) throw std::length_error("a history of " + std::to_string(events_.size()));
    std::sort(events_.begin(), events_.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
    for (std::size_t i = 0; i < events_.size(); ++i) {
      if (events_[i].operation == key_operation::find && events_[i].succeeded) finds_[events_[i].value].push_back(i);
    }
  }

  /// @throws std::runtime_error when the search becomes too long to tell
  [[nodiscard]] bool is_linearizable() {
    tried_.clear();
    best_.reset();
    return explain({}, before_);
  }

  /// Events that the longest order found does not explain, the ones that ended first first.
  [[nodiscard]] std::string unexplained() const {
    std::vector<key_event> left;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      if (!best_[i]) left.push_back(events_[i]);
    }
    std::sort(left.begin(), left.end(), [](const auto& a, const auto& b) { return a.end < b.end; });
    std::ostringstream out;
    out << best_.count() << " of " << events_.size() << " events explained; then";
    for (std::size_t i = 0; i < std::min<std::size_t>(left.size(), 12); ++i) out << "; " << shown_event(left[i]);
    return out.str();
  }

 private:
  using event_set = std::bitset<most_events>;
  static constexpr std::uint64_t any_value = ~std::uint64_t{0};  ///< stands for all that nobody will find

  /// A set of events that an order explains, and what the key holds after them.
  struct state {
    event_set done;
    contents now;
    bool operator==(const state&) const = default;
  };
  struct state_hash {
    std::size_t operator()(const state& at) const {
      return std::hash<event_set>()(at.done) * 31 + std::hash<contents>()(at.now);
    }
  };

  /// Whether the events that are not in `done` can follow, the key being as `now` says.
  bool explain(event_set done, contents now) {
    now = take_what_changes_nothing(done, now);
    if (done.count() >= best_.count()) best_ = done;
    if (done.count() == events_.size()) return true;
    if (!tried_.insert({done, now}).second) return false;
    if (tried_.size() > most_states) throw std::runtime_error("a history that takes too long to explain");
    for (const auto& [i, after] : next_changes(done, now)) {
      event_set with = done;
      if (explain(with.set(i), after)) return true;
    }
    return false;
  }

  /// Adds to `done` all events that may follow without changing what the key holds. @return `now`, made general
  contents take_what_changes_nothing(event_set& done, contents now) const {
    for (bool took = true; took;) {
      took = false;
      now = general(now, done);
      for_each_next(done, [&](std::size_t i) {
        contents after;
        if (!answers(events_[i], now, after) || general(after, done) != now) return;
        if (events_[i].operation == key_operation::assign && now != any_value) return;  // may bring the value back
        done.set(i);
        took = true;
      });
    }
    return now;
  }

  /// Events that may come next, one of each effect, the ones that ended first first, and what the key holds after them.
  [[nodiscard]] std::vector<std::pair<std::size_t, contents>> next_changes(const event_set& done,
                                                                           const contents& now) const {
    std::map<contents, std::size_t> of_effect;
    for_each_next(done, [&](std::size_t i) {
      contents after;
      if (!answers(events_[i], now, after)) return;
      const auto [place, is_first] = of_effect.emplace(general(after, done), i);
      if (!is_first && events_[i].end < events_[place->second].end) place->second = i;
    });
    std::vector<std::pair<std::size_t, contents>> changes;
    for (const auto& [after, i] : of_effect) changes.emplace_back(i, after);
    std::sort(changes.begin(), changes.end(),
              [this](const auto& a, const auto& b) { return events_[a.first].end < events_[b.first].end; });
    return changes;
  }

  /// Calls `f(i)` for the events that may come next: those that began before the first of those left ended.
  template <class F>
  void for_each_next(const event_set& done, const F& f) const {
    std::size_t first = 0;
    while (first < events_.size() && done[first]) ++first;
    std::uint64_t horizon = ~std::uint64_t{0};
    for (std::size_t i = first; i < events_.size() && events_[i].begin <= horizon; ++i) {
      if (!done[i]) horizon = std::min(horizon, events_[i].end);
    }
    for (std::size_t i = first; i < events_.size() && events_[i].begin <= horizon; ++i) {
      if (!done[i]) f(i);
    }
  }

  /// What the key holds, as far as events that are not done can tell.
  [[nodiscard]] contents general(const contents& now, const event_set& done) const {
    if (!now) return now;
    const auto finds = finds_.find(*now);
    if (finds == finds_.end()) return any_value;
    const bool all_done =
        std::all_of(finds->second.begin(), finds->second.end(), [&](std::size_t i) { return done[i]; });
    return all_done ? any_value : now;
  }

  /// Whether an event has the right answer for a key that is as `now` says. @param after what the key holds then
  static bool answers(const key_event& event, const contents& now, contents& after) {
    after = now;
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

  static std::string shown_event(const key_event& event) {
    constexpr const char* names[] = {"insert", "assign", "erase", "find"};
    return std::string(names[static_cast<int>(event.operation)]) + ' ' + std::to_string(event.value) +
           (event.succeeded ? " yes [" : " no [") + std::to_string(event.begin) + ", " + std::to_string(event.end) +
           ']';
  }

  std::vector<key_event> events_;
  contents before_;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> finds_;  ///< by the value that they found
  std::unordered_set<state, state_hash> tried_;
  event_set best_;
};

}  // namespace mangrove::test
