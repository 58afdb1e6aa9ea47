#include "mangrove/io/generate.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "apps/command_line.hpp"
#include "apps/file_formats.hpp"
#include "apps/output.hpp"
#include "apps/quantity.hpp"
#include "apps/stopwatch.hpp"
#include "apps/subcommands.hpp"
#include "apps/thread_limit.hpp"
#include "apps/with_backend.hpp"
#include "mangrove/core/error.hpp"
#include "mangrove/io/write_updates.hpp"

namespace mangrove::app {

namespace {

constexpr std::string_view help =
    R"(Random graphs and update streams, the same on any number of threads and on both backends

Usage:
  mangrove generate KIND [OPTION...] -o OUT

Kinds:
  rmat    few vertices of high degree, many of low (Graph500's model)
  rgg     points of the unit square, joined where they are near
  road    like a road network: long paths, degrees 1 to 4
  mesh    like a Delaunay triangulation: planar, mean degree 6
  stream  random inserts and erases over the edges of a graph, or over a range of vertices

'mangrove generate KIND --help' lists the options of a kind. Formats go by OUT's extension (.mtx, .txt, .el, .edges,
.tsv, each also .gz, and .mgb; a stream is always text); without -o, or with '-o -', to standard output.

 Examples:
  mangrove generate rmat --scale 20 --edge-factor 16 -o rmat20.mgb
  mangrove generate road --scale 22 --seed 7 -o road.mtx
  mangrove generate stream --graph road.mtx --updates 1000000 -o updates.txt.gz
)";

/// What generating and writing came to.
struct outcome {
  std::string kind, out, backend;
  std::uint64_t seed = 0;
  double generate = 0, write = 0;
};

nlohmann::ordered_json json_of(const outcome& result, const char* what, std::uint64_t count) {
  return {{"kind", result.kind},
          {"to", result.out},
          {what, count},
          {"seed", result.seed},
          {"backend", result.backend},
          {"seconds", {{"generate", result.generate}, {"write", result.write}}}};
}

void report(const common_options& options, const outcome& result, const char* what, std::uint64_t count) {
  if (options.form == output_form::json) print_json(json_of(result, what, count));
  say(options, fmt::format("{}: {} {}, generated in {} ({}), written in {}", result.out, grouped(count), what,
                           duration(result.generate), result.backend, duration(result.write)));
}

void add_output(command_line& line) {
  line.add<std::string>("o,output", "OUT", "the file to write; '-' is standard output", "-");
}

/// Where the result goes. Nothing but options may be on the command line. @throws bad_usage
std::string output_of(const command_line& line) {
  line.positional(0, 0);
  auto out = line.get<std::string>("output");
  if (out == "-" && line.common().form == output_form::json) {
    line.fail("--json prints on standard output, where the result goes");
  }
  return out;
}

/// Runs `make`; an option that the library does not accept is wrong usage.
template <class Make>
auto with_checked_options(const command_line& line, Make make) {
  try {
    return make();
  } catch (const usage_error& error) {
    line.fail(error.what());
  }
}

command_line graph_command_line(const std::string& kind, const std::string& summary) {
  command_line line(fmt::format("generate {}", kind), "", summary + "\nIds are 1 to 2^scale.\n");
  add_output(line);
  line.add<int>("scale", "SCALE", "2^SCALE vertices, 1 to 31", "16");
  line.add<std::uint64_t>("seed", "N", "same seed, same graph", "1");
  line.add<std::string>("to", "FORMAT", "the format of OUT: auto, mtx, el or mgb", "auto");
  return line;
}

template <class Options>
Options options_of(const command_line& line) {
  Options options;
  options.scale = line.get<int>("scale");
  options.seed = line.get<std::uint64_t>("seed");
  return options;
}

enum class repeated_edges { keep, drop };

template <class Options>
void generate_graph(const command_line& line, const std::string& kind, const Options& options, repeated_edges repeats) {
  outcome result;
  result.kind = kind;
  result.out = output_of(line);
  result.seed = options.seed;
  io::write_options format;
  format.format = read_format(line, "to");
  const thread_limit limit(line.common());
  stopwatch watch;
  edge_list edges = with_backend(line.common(), [&](const auto& res) {
    result.backend = backend_of<std::decay_t<decltype(res)>>::name;
    watch.lap();
    return with_checked_options(line, [&] { return io::generate(res, options); });
  });
  if (repeats == repeated_edges::drop) edges = io::without_repeats(cpu_resources(line.common().threads), edges);
  result.generate = watch.lap();
  io::write_graph(result.out, edges, format);
  result.write = watch.lap();
  report(line.common(), result, "edges", edges.size());
}

void rmat(int argc, const char* const* argv) {
  auto line = graph_command_line("rmat",
                                 "An R-MAT graph: every edge falls into one of four quadrants of the matrix with the\n"
                                 "probabilities a, b, c and 1 - a - b - c, and so on into that quadrant's quadrants.\n"
                                 "The defaults are Graph500's. Self loops and repeated edges are dropped.");
  line.add<std::uint64_t>("edge-factor", "N", "edges over vertices, before loops and repeats are dropped", "16");
  line.add<double>("a", "P", "upper left quadrant", "0.57");
  line.add<double>("b", "P", "upper right quadrant", "0.19");
  line.add<double>("c", "P", "lower left quadrant", "0.19");
  line.add_flag("plain-ids", "leave the vertices in the order of the matrix; without, their ids are permuted");
  line.add_flag("raw", "keep self loops and repeated edges, in the order of generation");
  line.add_examples({"mangrove generate rmat --scale 20 -o rmat20.mgb",
                     "mangrove generate rmat --scale 16 --edge-factor 8 --seed 3 --raw -o rmat16.mtx.gz"});
  if (!line.parse(argc, argv)) return;
  auto options = options_of<io::rmat_options>(line);
  options.edge_factor = line.get<std::uint64_t>("edge-factor");
  options.a = line.get<double>("a");
  options.b = line.get<double>("b");
  options.c = line.get<double>("c");
  options.ids = line.has("plain-ids") ? io::rmat_ids::plain : io::rmat_ids::scrambled;
  generate_graph(line, "rmat", options, line.has("raw") ? repeated_edges::keep : repeated_edges::drop);
}

void rgg(int argc, const char* const* argv) {
  auto line =
      graph_command_line("rgg",
                         "A random geometric graph: points of the unit square, joined where they are no further\n"
                         "than a radius from each other. Neighbours' ids are near each other.");
  line.add<double>("degree", "D", "the mean degree that the radius is chosen for", "12");
  line.add<double>("radius", "R", "the radius itself, at most 0.5; 0: by --degree", "0");
  line.add_examples(
      {"mangrove generate rgg --scale 20 -o rgg20.mgb", "mangrove generate rgg --radius 0.01 -o points.mtx"});
  if (!line.parse(argc, argv)) return;
  auto options = options_of<io::rgg_options>(line);
  options.degree = line.get<double>("degree");
  options.radius = line.get<double>("radius");
  generate_graph(line, "rgg", options, repeated_edges::keep);
}

void road(int argc, const char* const* argv) {
  auto line = graph_command_line("road",
                                 "A graph like a road network: connected, nearly planar, long paths, few triangles. A\n"
                                 "random spanning tree of a grid and some of its other edges and diagonals.");
  line.add<double>("degree", "D", "mean degree, 2 to 4", "2.4");
  line.add_examples({"mangrove generate road --scale 22 -o road.mgb"});
  if (!line.parse(argc, argv)) return;
  auto options = options_of<io::road_options>(line);
  options.degree = line.get<double>("degree");
  generate_graph(line, "road", options, repeated_edges::keep);
}

void mesh(int argc, const char* const* argv) {
  auto line =
      graph_command_line("mesh",
                         "A planar mesh of triangles: a grid of jittered points, each of whose quadrilaterals is\n"
                         "cut by the diagonal that Delaunay's criterion asks for.");
  line.add_examples({"mangrove generate mesh --scale 20 -o mesh20.mtx"});
  if (!line.parse(argc, argv)) return;
  generate_graph(line, "mesh", options_of<io::mesh_options>(line), repeated_edges::keep);
}

command_line stream_command_line() {
  command_line line(
      "generate stream", "",
      "Random updates, '+ u v' and '- u v' a line. Erases take edges that are there: the graph's in random\n"
      "order, then the stream's own inserts. Inserts join the ends of random edges, so that vertices of\n"
      "high degree get more. Without --graph, inserts join any two of the vertices 1 to --vertices.\n");
  add_output(line);
  line.add<std::string>("graph", "GRAPH", "the graph that is updated");
  line.add<std::uint64_t>("updates", "N", "how many", "65536");
  line.add<double>("erases", "P", "share of the updates that erase, 0 to 1", "0.4");
  line.add<double>("repeats", "P", "share that inserts an edge that was there before", "0.1");
  line.add<std::uint64_t>("vertices", "N", "how many vertices there are, without --graph");
  line.add<std::uint64_t>("seed", "N", "same seed, same stream", "1");
  line.add_examples({"mangrove generate stream --graph graph.mtx --updates 1000000 -o updates.txt.gz",
                     "mangrove generate stream --vertices 1000 --updates 50000 | mangrove stream -"});
  return line;
}

void stream_updates(int argc, const char* const* argv) {
  command_line line = stream_command_line();
  if (!line.parse(argc, argv)) return;
  outcome result;
  result.kind = "stream";
  result.out = output_of(line);
  result.backend = cpu::name;
  result.seed = line.get<std::uint64_t>("seed");
  io::stream_options options;
  options.updates = line.get<std::uint64_t>("updates");
  options.erases = line.get<double>("erases");
  options.repeats = line.get<double>("repeats");
  options.seed = result.seed;
  if (line.has("graph") == line.has("vertices")) line.fail("a stream needs either --graph or --vertices");

  const thread_limit limit(line.common());
  edge_list graph;
  if (line.has("vertices")) {
    graph.vertex_count = line.get<std::uint64_t>("vertices");
  } else {
    io::read_options in;
    in.direction = io::edge_direction::undirected;
    in.weights = io::edge_weights::drop;
    graph = io::read_graph(line.get<std::string>("graph"), in);
  }
  stopwatch watch;
  const auto updates = with_checked_options(
      line, [&] { return io::generate_stream(cpu_resources(line.common().threads), graph, options); });
  result.generate = watch.lap();
  io::write_updates(result.out, updates);
  result.write = watch.lap();
  report(line.common(), result, "updates", updates.size());
}

struct kind {
  std::string_view name;
  void (*run)(int, const char* const*);
};

constexpr std::array kinds = {kind{"rmat", rmat}, kind{"rgg", rgg}, kind{"road", road}, kind{"mesh", mesh},
                              kind{"stream", stream_updates}};

}  // namespace

void generate(int argc, const char* const* argv) {
  const std::string_view first = argc < 2 ? "" : argv[1];
  if (first == "--help" || first == "-h") {
    print(help);
    return;
  }
  for (const auto& [name, run] : kinds) {
    if (first == name) return run(argc - 1, argv + 1);
  }
  throw bad_usage("generate",
                  first.empty() ? "no kind to generate" : fmt::format("there is no kind '{}' to generate", first));
}

}  // namespace mangrove::app
