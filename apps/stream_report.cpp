#include "apps/stream_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/output.hpp"
#include "apps/quantity.hpp"

namespace mangrove::app {

namespace {

constexpr std::size_t most_rows = 24;

nlohmann::ordered_json counts_json(const update_counts& counts) {
  return {{"inserted", counts.inserted},
          {"overwritten", counts.overwritten},
          {"erased", counts.erased},
          {"ignored", counts.ignored}};
}

nlohmann::ordered_json json_of(const batch_result& result) {
  nlohmann::ordered_json object = {{"batch", result.batch}};
  object.update(counts_json(result.counts));
  object["edges"] = result.edges;
  object["triangles"] = result.triangles;
  object["seconds"] = result.seconds;
  object["updates"] = result.updates;
  object["expired"] = result.expired;
  object["vertices"] = result.vertices;
  if (result.counts.detached != 0) object["detached"] = result.counts.detached;
  if (result.time) object["time"] = *result.time;
  return object;
}

void add(batch_result& total, const batch_result& result) {
  total.updates += result.updates;
  total.expired += result.expired;
  total.counts.inserted += result.counts.inserted;
  total.counts.overwritten += result.counts.overwritten;
  total.counts.erased += result.counts.erased;
  total.counts.ignored += result.counts.ignored;
  total.counts.detached += result.counts.detached;
  total.seconds += result.seconds;
  total.verify += result.verify;
}

std::vector<std::string> row_of(const batch_result& r) {
  return {grouped(r.batch),
          grouped(r.updates),
          grouped(r.counts.inserted),
          grouped(r.counts.overwritten),
          grouped(r.counts.erased),
          grouped(r.counts.ignored),
          grouped(r.edges),
          grouped(r.triangles),
          r.seconds > 0 ? scaled(static_cast<double>(r.updates) / r.seconds) : "-"};
}

}  // namespace

stream_report::stream_report(const common_options& options, stream_setting setting)
    : options_(options), setting_(std::move(setting)), progress_(options) {}

void stream_report::add(const io::stream_batch& batch, const batch_result& result) {
  app::add(total_, result);
  if (options_.form == output_form::json) {
    print_json(json_of(result));
  } else {
    keep_row(result);
  }
  const double done =
      batch.bytes_total == 0 ? -1 : static_cast<double>(batch.bytes_read) / static_cast<double>(batch.bytes_total);
  progress_.show(done, fmt::format("batch {}, {} edges, {} triangles, {}", grouped(result.batch), grouped(result.edges),
                                   grouped(result.triangles), rate(total_.updates, total_.seconds, "updates")));
}

void stream_report::keep_row(const batch_result& result) {
  if ((result.batch - 1) % stride_ != 0) return;
  rows_.push_back(result);
  if (rows_.size() <= most_rows) return;
  // Half of the rows show as much; this way memory and table stay small however long the stream is.
  std::size_t kept = 0;
  for (std::size_t i = 0; i < rows_.size(); i += 2) rows_[kept++] = rows_[i];
  rows_.resize(kept);
  stride_ *= 2;
}

void stream_report::finish(const batch_result& last, bool verified) {
  progress_.clear();
  if (options_.form == output_form::json) return print_summary_json(last, verified);
  if (last.batch != 0) {
    if (rows_.back().batch != last.batch) rows_.push_back(last);
    print(table_text() + "\n");
  }
  print(facts_text(last, verified));
}

std::string stream_report::table_text() const {
  text_table table(
      {"batch", "updates", "inserted", "overwritten", "erased", "ignored", "edges", "triangles", "updates/s"});
  for (const auto& row : rows_) table.add(row_of(row));
  std::vector<std::string> total = row_of(total_);
  total[0] = "all";
  total[6] = total[7] = "";
  table.add(total);
  return table.text();
}

std::string stream_report::facts_text(const batch_result& last, bool verified) const {
  fact_list facts;
  if (stride_ > 1) facts.add("shown", fmt::format("one batch in {}, and the last", stride_));
  facts.add("updates",
            fmt::format("{} in {} batches from {}", grouped(total_.updates), grouped(last.batch), setting_.updates));
  if (total_.expired != 0)
    facts.add("expired", fmt::format("{} of the updates, by the window", grouped(total_.expired)));
  facts.add("graph", fmt::format("{} vertices, {} edges, {} triangles", grouped(last.vertices), grouped(last.edges),
                                 grouped(last.triangles)));
  facts.add("backend", fmt::format("{} ({}), {}", setting_.backend, setting_.device, setting_.adjacency));
  if (verified) facts.add("verified", fmt::format("every batch by a recount, in {}", duration(total_.verify)));
  std::string start;
  if (!setting_.graph.empty()) {
    start = fmt::format("graph read {}, built {}, counted {}; ", duration(setting_.read), duration(setting_.build),
                        duration(setting_.count));
  }
  facts.add("time", fmt::format("{}updates applied and counted {}; in all {}", start, duration(total_.seconds),
                                duration(since_start_.seconds() + setting_.read + setting_.build + setting_.count)));
  facts.add("speed", rate(total_.updates, total_.seconds, "updates"));
  return facts.text();
}

void stream_report::print_summary_json(const batch_result& last, bool verified) const {
  nlohmann::ordered_json object = {{"summary", true}};
  if (!setting_.graph.empty()) object["graph"] = setting_.graph;
  object["stream"] = setting_.updates;
  object["batches"] = last.batch;
  object["updates"] = total_.updates;
  object["expired"] = total_.expired;
  object.update(counts_json(total_.counts));
  object["detached"] = total_.counts.detached;
  object["vertices"] = last.vertices;
  object["edges"] = last.edges;
  object["triangles"] = last.triangles;
  object["verified"] = verified;
  object["backend"] = setting_.backend;
  object["device"] = setting_.device;
  object["adjacency"] = setting_.adjacency;
  object["updates_per_second"] = total_.seconds > 0 ? static_cast<double>(total_.updates) / total_.seconds : 0.0;
  object["seconds"] = {{"read", setting_.read},    {"build", setting_.build}, {"count", setting_.count},
                       {"stream", total_.seconds}, {"verify", total_.verify}, {"wall", since_start_.seconds()}};
  print_json(object);
}

}  // namespace mangrove::app
