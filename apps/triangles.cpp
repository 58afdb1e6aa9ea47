#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "apps/command_line.hpp"
#include "apps/graph_input.hpp"
#include "apps/output.hpp"
#include "apps/progress.hpp"
#include "apps/quantity.hpp"
#include "apps/result_file.hpp"
#include "apps/stopwatch.hpp"
#include "apps/subcommands.hpp"
#include "apps/thread_limit.hpp"
#include "apps/vertex_rows.hpp"
#include "apps/with_backend.hpp"
#include "mangrove/algorithms/triangle_count.hpp"

namespace mangrove::app {

namespace {

struct coefficients {
  double average = 0, transitivity = 0;
};

struct result {
  std::string graph, backend, device, adjacency;
  std::uint64_t vertices = 0, edges = 0, triangles = 0;
  std::optional<coefficients> clustering;
  double read = 0, build = 0, count = 0;
};

command_line make_command_line() {
  command_line line(
      "triangles", "GRAPH",
      "Counts the triangles of a graph, exactly. Directions, self loops, repeated edges and weights play no\n"
      "role. GRAPH is a Matrix Market file, an edge list or a binary graph, by extension; '-' is standard\n"
      "input.\n");
  line.add<std::string>(
      "per-vertex", "FILE",
      "write 'id triangles clustering' for each vertex, by ascending id: in how many triangles it is, and the share "
      "of the pairs of its neighbours that are joined; '-' is standard output");
  line.add_flag("clustering", "the average clustering coefficient and the transitivity as well");
  add_graph_choices(line);
  line.add_examples({"mangrove triangles web.mtx", "mangrove triangles --json --per-vertex counts.txt web.txt.gz",
                     "mangrove triangles --per-vertex - --quiet web.mtx | sort -k2nr | head"});
  return line;
}

/// The table of --per-vertex as text, ascending by id, handed to `file` in pieces.
void write_per_vertex(result_file& file, const vertex_rows& vertices, const std::vector<std::uint64_t>& triangles,
                      const std::vector<double>& local) {
  std::vector<std::uint32_t> order;
  for (std::size_t i = 0; i < vertices.ids.size(); ++i) {
    if (vertices.exists(i)) order.push_back(static_cast<std::uint32_t>(i));
  }
  std::sort(order.begin(), order.end(), [&](auto i, auto j) { return vertices.ids[i] < vertices.ids[j]; });
  constexpr std::size_t piece = std::size_t{1} << 20;
  std::string text;
  for (const std::uint32_t i : order) {
    fmt::format_to(std::back_inserter(text), "{} {} {:.6f}\n", vertices.ids[i], triangles[i], local[i]);
    if (text.size() < piece) continue;
    file.write(text);
    text.clear();
  }
  file.write(text);
}

template <backend B>
void count_with_clustering(const resources<B>& res, const app_graph<B>& graph, const command_line& line, result& r) {
  stopwatch watch;
  const auto found = clustering_coefficients(res, graph);
  res.synchronize();
  r.count = watch.seconds();
  r.triangles = found.triangle_count;
  r.clustering = coefficients{found.average, found.transitivity};
  if (!line.has("per-vertex")) return;
  result_file file(line.get<std::string>("per-vertex"));
  write_per_vertex(file, read_vertices<B>(res, graph), to_host(res, found.triangles.data(), found.triangles.size()),
                   to_host(res, found.local.data(), found.local.size()));
  file.commit();
}

template <class Resources>
void count(const Resources& res, const edge_list& edges, const command_line& line, result& r) {
  using backend_tag = backend_of<Resources>;
  stopwatch watch;
  const auto graph = build_graph<backend_tag>(res, edges, read_graph_choices(line));
  r.build = watch.lap();
  r.backend = backend_tag::name;
  r.device = device_name(res);
  r.adjacency = name_of(graph.options().adjacency);
  r.vertices = graph.vertex_count();
  r.edges = graph.edge_count();
  if (line.has("clustering") || line.has("per-vertex")) {
    count_with_clustering<backend_tag>(res, graph, line, r);
  } else {
    watch.lap();
    r.triangles = triangle_count(res, graph);
    r.count = watch.lap();
  }
}

nlohmann::ordered_json json_of(const result& r) {
  nlohmann::ordered_json object = {
      {"graph", r.graph}, {"vertices", r.vertices}, {"edges", r.edges}, {"triangles", r.triangles}};
  if (r.clustering) {
    object["average_clustering"] = r.clustering->average;
    object["transitivity"] = r.clustering->transitivity;
  }
  object["backend"] = r.backend;
  object["device"] = r.device;
  object["adjacency"] = r.adjacency;
  object["seconds"] = {{"read", r.read}, {"build", r.build}, {"count", r.count}};
  return object;
}

std::string text_of(const result& r) {
  fact_list facts;
  facts.add("graph", r.graph);
  facts.add("vertices", grouped(r.vertices));
  facts.add("edges", grouped(r.edges));
  facts.add("triangles", grouped(r.triangles));
  if (r.clustering) {
    facts.add("clustering",
              fmt::format("average {:.4f}, transitivity {:.4f}", r.clustering->average, r.clustering->transitivity));
  }
  facts.add("backend", fmt::format("{} ({}), {}", r.backend, r.device, r.adjacency));
  facts.add("time", fmt::format("read {}, build {} ({}), count {} ({})", duration(r.read), duration(r.build),
                                rate(r.edges, r.build, "edges"), duration(r.count), rate(r.edges, r.count, "edges")));
  return facts.text();
}

}  // namespace

void triangles(int argc, const char* const* argv) {
  command_line line = make_command_line();
  if (!line.parse(argc, argv)) return;
  result r;
  r.graph = line.positional(1, 1)[0];
  read_graph_choices(line);  // complains before the file is read
  const bool table_is_output = line.has("per-vertex") && line.get<std::string>("per-vertex") == "-";
  const bool json = line.common().form == output_form::json;
  if (json && table_is_output) line.fail("--json prints on standard output, where --per-vertex - goes");

  io::read_options options;
  options.direction = io::edge_direction::undirected;
  options.weights = io::edge_weights::drop;
  const thread_limit limit(line.common());
  with_backend(line.common(), [&](const auto& res) {
    progress_line progress(line.common());
    progress.show(-1, fmt::format("reading {}", r.graph));
    stopwatch watch;
    const edge_list edges = read_edges(r.graph, options);
    r.read = watch.seconds();
    progress.clear();
    count(res, edges, line, r);
  });
  if (json) {
    print_json(json_of(r));
  } else if (table_is_output) {
    say(line.common(), text_of(r));
  } else {
    print(text_of(r));
  }
}

}  // namespace mangrove::app
