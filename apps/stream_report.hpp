#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/command_line.hpp"
#include "apps/progress.hpp"
#include "apps/stopwatch.hpp"
#include "mangrove/graph/update.hpp"
#include "mangrove/io/stream_batch.hpp"

namespace mangrove::app {

/// What a stream works on, known before its first batch.
struct stream_setting {
  std::string graph, updates, backend, device, adjacency;  ///< graph: empty without one
  double read = 0, build = 0, count = 0;                   ///< seconds before the first batch
};

/// What one batch did, and what the graph is after it.
struct batch_result {
  std::uint64_t batch = 0;  ///< from 1
  std::uint64_t updates = 0, expired = 0;
  std::optional<std::int64_t> time;  ///< the newest, of a timed list
  update_counts counts;
  std::uint64_t vertices = 0, edges = 0, triangles = 0;
  double seconds = 0;  ///< applying the batch and counting
  double verify = 0;   ///< recounting
};

/// Shows a stream's batches as they are done, and its totals at the end.
class stream_report {
 public:
  stream_report(const common_options& options, stream_setting setting);

  void add(const io::stream_batch& batch, const batch_result& result);

  /// @param verified whether each batch was recounted
  void finish(const batch_result& last, bool verified);

 private:
  void keep_row(const batch_result& result);
  [[nodiscard]] std::string table_text() const;
  [[nodiscard]] std::string facts_text(const batch_result& last, bool verified) const;
  void print_summary_json(const batch_result& last, bool verified) const;

  common_options options_;
  stream_setting setting_;
  progress_line progress_;
  stopwatch since_start_;
  std::vector<batch_result> rows_;  // every `stride_`th batch
  std::uint64_t stride_ = 1;
  batch_result total_;
};

}  // namespace mangrove::app
