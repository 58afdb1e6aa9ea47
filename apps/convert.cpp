#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/command_line.hpp"
#include "apps/file_formats.hpp"
#include "apps/output.hpp"
#include "apps/quantity.hpp"
#include "apps/stopwatch.hpp"
#include "apps/subcommands.hpp"
#include "apps/thread_limit.hpp"

namespace mangrove::app {

namespace {

command_line make_command_line() {
  command_line line("convert", "IN OUT",
                    "Reads a graph and writes it in another format.\n"
                    "Formats go by extension: .mtx, .txt, .el, .edges, .tsv (each also .gz) and .mgb; '-' is standard\n"
                    "input or output. Nothing is left behind when writing fails.\n");
  line.add<std::string>("from", "FORMAT", "the format of IN: auto, mtx, el or mgb", "auto");
  line.add<std::string>("to", "FORMAT", "the format of OUT: auto, mtx, el or mgb", "auto");
  add_direction(line);
  line.add<std::string>("weights", "WHAT", "keep or drop", "keep");
  line.add<std::string>("ids", "WHAT", "keep, or compact: rename the vertices 1 to n in the order of their ids",
                        "keep");
  line.add_examples({"mangrove convert web.txt.gz web.mgb", "mangrove convert --ids compact web.mgb web.mtx",
                     "zcat web.txt.gz | mangrove convert --to mtx - - > web.mtx"});
  return line;
}

void report(const common_options& options, const edge_list& edges, const std::string& in, const std::string& out,
            double read, double write) {
  if (options.form == output_form::json) {
    print_json({{"from", in},
                {"to", out},
                {"edges", edges.size()},
                {"directed", edges.directed},
                {"weighted", edges.weighted()},
                {"seconds", {{"read", read}, {"write", write}}}});
    return;
  }
  say(options, fmt::format("{}: {} {}{} edges, read in {}, written in {}", out, grouped(edges.size()),
                           edges.weighted() ? "weighted " : "", edges.directed ? "directed" : "undirected",
                           duration(read), duration(write)));
}

}  // namespace

void convert(int argc, const char* const* argv) {
  command_line line = make_command_line();
  if (!line.parse(argc, argv)) return;
  const auto& files = line.positional(2, 2);
  if (files[1] == "-" && line.common().form == output_form::json) {
    line.fail("--json prints on standard output, where the graph goes");
  }
  io::read_options in;
  in.format = read_format(line, "from");
  in.direction = read_direction(line);
  in.weights = line.choice<io::edge_weights>("weights", {"keep", "drop"});
  io::write_options out;
  out.format = read_format(line, "to");
  out.vertex_ids = line.choice<io::ids>("ids", {"keep", "compact"});

  const thread_limit limit(line.common());
  stopwatch watch;
  const edge_list edges = io::read_graph(files[0], in);
  const double read = watch.lap();
  io::write_graph(files[1], edges, out);
  report(line.common(), edges, files[0], files[1], read, watch.lap());
}

}  // namespace mangrove::app
