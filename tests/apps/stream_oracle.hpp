#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mangrove::app::test {

/// One line of an update list. Signed lists have no times.
struct listed_update {
  enum class kind { insert, erase } what = kind::insert;
  std::uint64_t source = 0, target = 0;
  std::int64_t time = 0;
};

/// What a batch did and what the graph is after it, found in the plainest way.
struct oracle_batch {
  std::uint64_t inserted = 0, overwritten = 0, erased = 0, edges = 0, triangles = 0;
};

/// An undirected graph as a set of pairs, changed by batches.
class stream_oracle {
 public:
  using edge = std::pair<std::uint64_t, std::uint64_t>;

  explicit stream_oracle(std::set<edge> start = {}, std::optional<std::int64_t> window = std::nullopt);

  /// Applies the updates in order, then lets edges leave the window.
  oracle_batch apply(const std::vector<listed_update>& batch);

 private:
  void leave_window(std::int64_t newest);
  [[nodiscard]] std::uint64_t triangles() const;

  std::set<edge> edges_;
  std::map<edge, std::int64_t> last_seen_;
  std::optional<std::int64_t> window_;
};

/// Cuts a list into batches of `count` updates.
std::vector<std::vector<listed_update>> by_count(const std::vector<listed_update>& list, std::size_t count);

/// Cuts a timed list at the multiples of `units` from its first time; empty batches are left out.
std::vector<std::vector<listed_update>> by_time(const std::vector<listed_update>& list, std::int64_t units);

std::string signed_text(const std::vector<listed_update>& list);
std::string timed_text(const std::vector<listed_update>& list);

}  // namespace mangrove::app::test
