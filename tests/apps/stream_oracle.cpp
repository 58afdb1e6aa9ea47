#include "stream_oracle.hpp"

#include <algorithm>
#include <sstream>

namespace mangrove::app::test {

stream_oracle::stream_oracle(std::set<edge> start, std::optional<std::int64_t> window)
    : edges_(std::move(start)), window_(window) {}

oracle_batch stream_oracle::apply(const std::vector<listed_update>& batch) {
  const std::set<edge> before = edges_;
  std::set<edge> named;
  std::int64_t newest = batch.front().time;
  for (const auto& update : batch) {
    newest = std::max(newest, update.time);
    const edge e = std::minmax(update.source, update.target);
    if (e.first == e.second) continue;
    if (update.what == listed_update::kind::erase) {
      edges_.erase(e);
    } else {
      edges_.insert(e);
      named.insert(e);
      last_seen_[e] = update.time;
    }
  }
  if (window_) leave_window(newest);

  oracle_batch result;
  for (const edge& e : edges_) {
    if (before.count(e) == 0) ++result.inserted;
    if (before.count(e) != 0 && named.count(e) != 0) ++result.overwritten;
  }
  for (const edge& e : before) result.erased += edges_.count(e) == 0 ? 1 : 0;
  result.edges = edges_.size();
  result.triangles = triangles();
  return result;
}

void stream_oracle::leave_window(std::int64_t newest) {
  for (auto seen = last_seen_.begin(); seen != last_seen_.end();) {
    if (newest - seen->second < *window_) {
      ++seen;
      continue;
    }
    edges_.erase(seen->first);
    seen = last_seen_.erase(seen);
  }
}

std::uint64_t stream_oracle::triangles() const {
  std::uint64_t count = 0;
  for (auto uv = edges_.begin(); uv != edges_.end(); ++uv) {
    for (auto uw = std::next(uv); uw != edges_.end() && uw->first == uv->first; ++uw) {
      count += edges_.count({uv->second, uw->second});
    }
  }
  return count;
}

std::vector<std::vector<listed_update>> by_count(const std::vector<listed_update>& list, std::size_t count) {
  std::vector<std::vector<listed_update>> batches;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i % count == 0) batches.emplace_back();
    batches.back().push_back(list[i]);
  }
  return batches;
}

std::vector<std::vector<listed_update>> by_time(const std::vector<listed_update>& list, std::int64_t units) {
  std::map<std::int64_t, std::vector<listed_update>> intervals;
  for (const auto& update : list) intervals[(update.time - list.front().time) / units].push_back(update);
  std::vector<std::vector<listed_update>> batches;
  for (auto& [interval, batch] : intervals) batches.push_back(std::move(batch));
  return batches;
}

std::string signed_text(const std::vector<listed_update>& list) {
  std::ostringstream text;
  for (const auto& update : list) {
    text << (update.what == listed_update::kind::insert ? '+' : '-') << ' ' << update.source << ' ' << update.target
         << '\n';
  }
  return text.str();
}

std::string timed_text(const std::vector<listed_update>& list) {
  std::ostringstream text;
  for (const auto& update : list) text << update.source << ' ' << update.target << ' ' << update.time << '\n';
  return text.str();
}

}  // namespace mangrove::app::test
