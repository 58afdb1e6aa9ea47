#include "mangrove/io/sliding_window.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include "edge_places.hpp"
#include "mangrove/core/error.hpp"

namespace mangrove::io {

namespace {

using detail::edge_places;
using edge = std::pair<std::uint64_t, std::uint64_t>;

constexpr std::size_t none = edge_places::none;

/// An edge in the window, in a list from the one not seen for longest to the one seen last.
struct sighting {
  edge what;
  std::int64_t time;
  std::size_t older;
  std::size_t newer;
};

}  // namespace

class sliding_window::implementation {
 public:
  implementation(std::uint64_t width, window_edges edges) : width_(width), edges_(edges) {}

  [[nodiscard]] std::uint64_t size() const noexcept { return places_.size(); }

  void see(std::uint64_t source, std::uint64_t target, std::int64_t time) {
    if (edges_ == window_edges::undirected && source > target) std::swap(source, target);
    const edge what{source, target};
    const std::uint64_t hash = edge_places::hash(source, target);
    std::size_t place = places_.find(hash, [&](std::size_t other) { return sightings_[other].what == what; });
    if (place == none) {
      place = allocate();
      places_.insert(hash, place, [this](std::size_t other) { return hash_at(other); });
    } else {
      unlink(place);
    }
    sightings_[place] = {what, time, newest_, none};
    (newest_ == none ? oldest_ : sightings_[newest_].newer) = place;
    newest_ = place;
  }

  void expire(std::int64_t now, stream_batch& batch) {
    const auto age = [&](std::size_t place) {
      return static_cast<std::uint64_t>(now) - static_cast<std::uint64_t>(sightings_[place].time);
    };
    while (oldest_ != none && age(oldest_) >= width_) {
      const std::size_t place = oldest_;
      const edge leaving = sightings_[place].what;
      batch.updates.push_back(update_kind::erase, leaving.first, leaving.second);
      ++batch.expired;
      unlink(place);
      free_.push_back(place);
      places_.erase(
          edge_places::hash(leaving.first, leaving.second), [&](std::size_t other) { return other == place; },
          [this](std::size_t other) { return hash_at(other); });
    }
  }

 private:
  [[nodiscard]] std::uint64_t hash_at(std::size_t place) const {
    const edge& what = sightings_[place].what;
    return edge_places::hash(what.first, what.second);
  }

  std::size_t allocate() {
    if (free_.empty()) {
      sightings_.emplace_back();
      return sightings_.size() - 1;
    }
    const std::size_t place = free_.back();
    free_.pop_back();
    return place;
  }

  void unlink(std::size_t place) {
    const sighting& gone = sightings_[place];
    (gone.older == none ? oldest_ : sightings_[gone.older].newer) = gone.newer;
    (gone.newer == none ? newest_ : sightings_[gone.newer].older) = gone.older;
  }

  std::uint64_t width_;
  window_edges edges_;
  edge_places places_;
  std::vector<sighting> sightings_;
  std::vector<std::size_t> free_;
  std::size_t oldest_ = none;
  std::size_t newest_ = none;
};

sliding_window::sliding_window(std::uint64_t width, window_edges edges)
    : implementation_(std::make_unique<implementation>(width, edges)) {
  if (width == 0) throw usage_error("sliding_window: the width of the window must be at least 1");
}
sliding_window::~sliding_window() = default;
sliding_window::sliding_window(sliding_window&&) noexcept = default;
sliding_window& sliding_window::operator=(sliding_window&&) noexcept = default;

void sliding_window::apply(stream_batch& batch) {
  if (batch.times.size() != batch.updates.size()) {
    throw usage_error("sliding_window: a window needs the times of a timed list 'u v t', a signed list has none");
  }
  for (std::size_t i = 0; i < batch.times.size(); ++i) {
    implementation_->see(batch.updates.sources[i], batch.updates.targets[i], batch.times[i]);
  }
  if (!batch.times.empty()) implementation_->expire(batch.newest_time, batch);
}

std::uint64_t sliding_window::size() const noexcept {
  return implementation_->size();
}

}  // namespace mangrove::io
