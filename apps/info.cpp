#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <nlohmann/json.hpp>

#include "apps/command_line.hpp"
#include "apps/file_formats.hpp"
#include "apps/graph_input.hpp"
#include "apps/output.hpp"
#include "apps/progress.hpp"
#include "apps/quantity.hpp"
#include "apps/stopwatch.hpp"
#include "apps/subcommands.hpp"
#include "apps/thread_limit.hpp"
#include "apps/vertex_rows.hpp"
#include "apps/with_backend.hpp"

namespace mangrove::app {

namespace {

/// How many vertices have degree 0, 1, 2 to 3, 4 to 7 and so on.
struct degree_histogram {
  std::array<std::uint64_t, 33> bins{};
  std::uint32_t least = 0, largest = 0;
  std::uint64_t vertices = 0;

  explicit degree_histogram(const vertex_rows& rows) {
    for (std::size_t i = 0; i < rows.degrees.size(); ++i) {
      if (!rows.exists(i)) continue;
      const std::uint32_t degree = rows.degrees[i];
      ++bins[static_cast<std::size_t>(std::bit_width(degree))];
      least = vertices == 0 ? degree : std::min(least, degree);
      largest = std::max(largest, degree);
      ++vertices;
    }
  }

  [[nodiscard]] std::size_t bin_count() const { return static_cast<std::size_t>(std::bit_width(largest)) + 1; }
  [[nodiscard]] static std::uint64_t first(std::size_t bin) { return bin == 0 ? 0 : std::uint64_t{1} << (bin - 1); }
  [[nodiscard]] static std::uint64_t last(std::size_t bin) { return bin == 0 ? 0 : (std::uint64_t{1} << bin) - 1; }
};

struct summary {
  std::string graph, backend, device, adjacency, ids;
  bool directed = false, weighted = false;
  std::uint64_t listed = 0, vertices = 0, edges = 0, directed_edges = 0, loops = 0, repeats = 0;
  graph_memory memory;
  double read = 0, build = 0;

  /// Offsets of 64 bits and targets of 32.
  [[nodiscard]] std::uint64_t csr_bytes() const { return 8 * (vertices + 1) + 4 * directed_edges; }
  [[nodiscard]] std::uint64_t used_bytes() const { return memory.dictionary + memory.extents; }
  [[nodiscard]] double over_csr() const { return static_cast<double>(used_bytes()) / static_cast<double>(csr_bytes()); }
  [[nodiscard]] double mean_degree() const {
    return vertices == 0 ? 0 : static_cast<double>(directed_edges) / static_cast<double>(vertices);
  }
};

command_line make_command_line() {
  command_line line(
      "info", "GRAPH",
      "Says how large a graph is, how its degrees are distributed, and what it needs in memory.\n"
      "GRAPH is a Matrix Market file, an edge list or a binary graph, by extension; '-' is standard input.\n"
      "Self loops and repeated edges are counted and dropped.\n");
  add_direction(line);
  add_graph_choices(line);
  line.add_examples({"mangrove info web.mtx", "mangrove info --direction undirected --json web.txt.gz",
                     "zcat web.txt.gz | mangrove info -"});
  return line;
}

std::uint64_t count_loops(const edge_list& edges) {
  std::uint64_t loops = 0;
  for (std::size_t i = 0; i < edges.size(); ++i) loops += edges.sources[i] == edges.targets[i] ? 1 : 0;
  return loops;
}

nlohmann::ordered_json json_of(const summary& s, const degree_histogram& degrees) {
  auto bins = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < degrees.bin_count(); ++i) {
    bins.push_back({{"from", degrees.first(i)}, {"to", degrees.last(i)}, {"vertices", degrees.bins[i]}});
  }
  const graph_memory& m = s.memory;
  return {{"graph", s.graph},
          {"directed", s.directed},
          {"weighted", s.weighted},
          {"vertices", s.vertices},
          {"edges", s.edges},
          {"self_loops", s.loops},
          {"repeats", s.repeats},
          {"degree", {{"least", degrees.least}, {"mean", s.mean_degree()}, {"largest", degrees.largest}}},
          {"degrees", bins},
          {"memory",
           {{"dictionary", m.dictionary},
            {"extents", m.extents},
            {"committed", m.committed},
            {"free_lists", m.free_lists},
            {"csr", s.csr_bytes()},
            {"over_csr", s.over_csr()}}},
          {"representations",
           {{"inlined", {{"vertices", m.inlined_vertices}, {"edges", m.inlined_edges}}},
            {"array", {{"vertices", m.array_vertices}, {"edges", m.array_edges}}},
            {"hash", {{"vertices", m.hash_vertices}, {"edges", m.hash_edges}}},
            {"tree", {{"vertices", m.tree_vertices}, {"edges", m.tree_edges}}}}},
          {"backend", s.backend},
          {"device", s.device},
          {"adjacency", s.adjacency},
          {"ids", s.ids},
          {"seconds", {{"read", s.read}, {"build", s.build}}}};
}

std::string facts_of(const summary& s, const degree_histogram& degrees) {
  fact_list facts;
  facts.add("graph",
            fmt::format("{}, {}{}", s.graph, s.directed ? "directed" : "undirected", s.weighted ? ", weighted" : ""));
  facts.add("vertices", grouped(s.vertices));
  facts.add("edges", fmt::format("{} of {} listed ({} self loops and {} repeats dropped)", grouped(s.edges),
                                 grouped(s.listed), grouped(s.loops), grouped(s.repeats)));
  facts.add(s.directed ? "out-degree" : "degree",
            fmt::format("least {}, mean {:.2f}, largest {}", grouped(degrees.least), s.mean_degree(),
                        grouped(degrees.largest)));
  facts.add("memory",
            fmt::format("{}: dictionary {}, adjacency {}; {:.2f} times CSR ({})", bytes(s.used_bytes()),
                        bytes(s.memory.dictionary), bytes(s.memory.extents), s.over_csr(), bytes(s.csr_bytes())));
  facts.add("mapped",
            fmt::format("{}, and {} of lists of what is free", bytes(s.memory.committed), bytes(s.memory.free_lists)));
  facts.add("backend", fmt::format("{} ({}), {}, {} ids", s.backend, s.device, s.adjacency, s.ids));
  facts.add("time", fmt::format("read {}, build {}", duration(s.read), duration(s.build)));
  return facts.text();
}

std::string histogram_text(const degree_histogram& degrees) {
  constexpr double widest = 40;
  const std::uint64_t most = std::max<std::uint64_t>(1, *std::max_element(degrees.bins.begin(), degrees.bins.end()));
  text_table table({"degree", "vertices", ""});
  for (std::size_t i = 0; i < degrees.bin_count(); ++i) {
    const double length = widest * static_cast<double>(degrees.bins[i]) / static_cast<double>(most);
    // Even a single vertex shows.
    const auto cells = static_cast<std::size_t>(length) + (degrees.bins[i] != 0 ? 1 : 0);
    const std::string range = i < 2 ? std::to_string(degrees.first(i))
                                    : fmt::format("{} - {}", grouped(degrees.first(i)), grouped(degrees.last(i)));
    table.add({range, grouped(degrees.bins[i]), fmt::format("{:#<{}}{:{}}", "", cells, "", 41 - cells)});
  }
  return table.text();
}

std::string memory_text(const graph_memory& m) {
  text_table table({"kept as", "vertices", "directed edges"});
  table.add({"in the dictionary", grouped(m.inlined_vertices), grouped(m.inlined_edges)});
  table.add({"sorted array", grouped(m.array_vertices), grouped(m.array_edges)});
  table.add({"slab hash table", grouped(m.hash_vertices), grouped(m.hash_edges)});
  table.add({"B-tree", grouped(m.tree_vertices), grouped(m.tree_edges)});
  return table.text();
}

template <class Resources>
void summarise(const Resources& res, const edge_list& edges, const command_line& line, summary& s) {
  using backend_tag = backend_of<Resources>;
  stopwatch watch;
  const auto graph = build_graph<backend_tag>(res, edges, read_graph_choices(line));
  s.build = watch.lap();
  s.backend = backend_tag::name;
  s.device = device_name(res);
  s.adjacency = name_of(graph.options().adjacency);
  s.ids = graph.options().ids == id_space::dense ? "dense" : "sparse";
  s.directed = edges.directed;
  s.weighted = edges.weighted();
  s.listed = edges.size();
  s.vertices = graph.vertex_count();
  s.edges = graph.edge_count();
  s.directed_edges = graph.directed_edge_count();
  s.loops = count_loops(edges);
  s.repeats = s.listed - s.loops - s.edges;
  s.memory = graph.memory(res);
  const degree_histogram degrees(read_vertices<backend_tag>(res, graph));
  if (line.common().form == output_form::json) {
    print_json(json_of(s, degrees));
  } else {
    print(facts_of(s, degrees) + "\n" + histogram_text(degrees) + "\n" + memory_text(s.memory));
  }
}

}  // namespace

void info(int argc, const char* const* argv) {
  command_line line = make_command_line();
  if (!line.parse(argc, argv)) return;
  summary s;
  s.graph = line.positional(1, 1)[0];
  io::read_options options;
  options.direction = read_direction(line);
  read_graph_choices(line);  // complains before the file is read
  const thread_limit limit(line.common());
  with_backend(line.common(), [&](const auto& res) {
    progress_line progress(line.common());
    progress.show(-1, fmt::format("reading {}", s.graph));
    stopwatch watch;
    const edge_list edges = read_edges(s.graph, options);
    s.read = watch.seconds();
    progress.clear();
    summarise(res, edges, line, s);
  });
}

}  // namespace mangrove::app
