#include <fmt/format.h>

#include <optional>

#include "apps/command_line.hpp"
#include "apps/graph_input.hpp"
#include "apps/output.hpp"
#include "apps/stopwatch.hpp"
#include "apps/stream_batching.hpp"
#include "apps/stream_report.hpp"
#include "apps/subcommands.hpp"
#include "apps/thread_limit.hpp"
#include "apps/with_backend.hpp"
#include "mangrove/algorithms/triangle_count.hpp"
#include "mangrove/algorithms/triangle_counter.hpp"
#include "mangrove/core/error.hpp"
#include "mangrove/io/read_ahead.hpp"
#include "mangrove/io/sliding_window.hpp"

namespace mangrove::app {

namespace {

command_line make_command_line() {
  command_line line(
      "stream", "[GRAPH] UPDATES",
      "Applies a stream of updates to a graph, batch by batch, and keeps the exact number of triangles after\n"
      "each of them. Without GRAPH, starts from an empty graph.\n"
      "\n"
      "UPDATES is a signed list, '+ u v [w]' and '- u v' a line, or a timed list, 'u v t' a line with times\n"
      "that never decrease; the first line tells. '+v u' and '-v u' insert and erase vertices. gzip is\n"
      "recognised, '-' is standard input. Directions, self loops and weights play no role.\n");
  add_batching(line);
  line.add<std::uint64_t>(
      "window", "W",
      "an edge leaves W units of time after it was last seen: after a batch whose newest time is t, the graph holds "
      "the edges last seen after t - W (timed lists)");
  line.add_flag("verify", "recount after every batch; stop with exit code 1 at the first difference");
  add_graph_choices(line);
  line.add_examples({"mangrove stream graph.mtx updates.txt --verify",
                     "mangrove stream --batch-time 86400 --window 604800 messages.txt.gz",
                     "mangrove generate stream --vertices 1000 | mangrove stream --json --batch 1000 - | tail -1"});
  return line;
}

/// Where the batches come from, behind a window if there is one.
class batch_source {
 public:
  batch_source(const command_line& line, const std::string& path, const io::batching& by) : reader_(path, by) {
    if (!line.has("window")) return;
    if (reader_.kind() != io::stream_kind::timed_edges) {
      line.fail(fmt::format("--window needs a timed list, 'u v t' a line; {} is a signed one", path));
    }
    window_.emplace(line.get<std::uint64_t>("window"));
  }

  [[nodiscard]] bool timed() const { return reader_.kind() == io::stream_kind::timed_edges; }

  bool next(io::stream_batch& batch) {
    if (!reader_.next(batch)) return false;
    if (window_) window_->apply(batch);
    return true;
  }

 private:
  io::update_reader reader_;
  std::optional<io::sliding_window> window_;
};

batch_source open_updates(const command_line& line, const std::string& path) {
  const io::batching by = read_batching(line, path);
  if (line.has("window") && line.get<std::uint64_t>("window") == 0) line.fail("--window takes 1 or more");
  try {
    return {line, path, by};
  } catch (const usage_error& error) {
    line.fail(error.what());
  }
}

/// Applies a batch. An id that a table of dense ids has no room for is an error of the list.
template <class Counter, class Resources>
update_counts apply(const Resources& res, Counter& counter, const io::stream_batch& batch, const std::string& updates) {
  try {
    return counter.update(res, batch.updates).counts;
  } catch (const usage_error& error) {
    throw io_error(
        updates, 0,
        fmt::format("among the first {} updates: {}; --ids sparse takes any ids", batch.updates_so_far, error.what()));
  }
}

template <backend B>
void verify(const resources<B>& res, const app_graph<B>& graph, const std::string& updates, batch_result& result) {
  stopwatch watch;
  const std::uint64_t recounted = triangle_count(res, graph);
  result.verify = watch.seconds();
  if (recounted == result.triangles) return;
  throw io_error(updates, 0,
                 fmt::format("batch {}: {} triangles were maintained, a recount finds {}", result.batch,
                             result.triangles, recounted));
}

/// The graph before the first batch.
template <backend B>
app_graph<B> start_graph(const resources<B>& res, const command_line& line, stream_setting& setting) {
  edge_list edges;
  progress_line progress(line.common());
  stopwatch watch;
  if (!setting.graph.empty()) {
    progress.show(-1, fmt::format("reading {}", setting.graph));
    io::read_options options;
    options.direction = io::edge_direction::undirected;
    options.weights = io::edge_weights::drop;
    edges = read_edges(setting.graph, options);
  }
  setting.read = watch.lap();
  auto graph = build_graph<B>(res, edges, read_graph_choices(line), later_updates::expected);
  setting.build = watch.lap();
  setting.backend = B::name;
  setting.device = device_name(res);
  setting.adjacency = name_of(graph.options().adjacency);
  return graph;
}

template <backend B>
void run(const resources<B>& res, const command_line& line, batch_source& source, stream_setting setting) {
  app_graph<B> graph = start_graph<B>(res, line, setting);
  stopwatch watch;
  triangle_counter<B, std::uint64_t, none> counter(res, graph);
  setting.count = watch.lap();
  const bool verified = line.has("verify");
  const bool timed = source.timed();
  const std::string updates = setting.updates;
  stream_report report(line.common(), std::move(setting));

  batch_result result;
  result.vertices = graph.vertex_count();
  result.edges = graph.edge_count();
  result.triangles = counter.value();
  io::read_ahead ahead([&](io::stream_batch& batch) { return source.next(batch); });
  for (io::stream_batch batch; ahead.next(batch);) {
    watch.lap();
    result.counts = apply(res, counter, batch, updates);
    res.synchronize();
    result.seconds = watch.lap();
    ++result.batch;
    result.updates = batch.updates.size();
    result.expired = batch.expired;
    if (timed) result.time = batch.newest_time;
    result.vertices = graph.vertex_count();
    result.edges = graph.edge_count();
    result.triangles = counter.value();
    if (verified) verify<B>(res, graph, updates, result);
    report.add(batch, result);
  }
  report.finish(result, verified);
}

}  // namespace

void stream(int argc, const char* const* argv) {
  command_line line = make_command_line();
  if (!line.parse(argc, argv)) return;
  const auto& files = line.positional(1, 2);
  stream_setting setting;
  if (files.size() == 2) setting.graph = files[0];
  setting.updates = files.back();
  if (setting.graph == "-" && setting.updates == "-") line.fail("GRAPH and UPDATES cannot both be standard input");
  read_graph_choices(line);  // complains before the files are read
  const thread_limit limit(line.common());
  with_backend(line.common(), [&](const auto& res) {
    batch_source source = open_updates(line, setting.updates);
    run<backend_of<std::decay_t<decltype(res)>>>(res, line, source, setting);
  });
}

}  // namespace mangrove::app
