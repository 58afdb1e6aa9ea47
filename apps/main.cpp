#include <fmt/format.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <new>
#include <string>
#include <string_view>

#include "apps/command_line.hpp"
#include "apps/output.hpp"
#include "apps/subcommands.hpp"
#include "mangrove/core/error.hpp"
#include "mangrove/core/version.hpp"

namespace mangrove::app {

namespace {

enum exit_code { exit_success = 0, exit_error = 1, exit_usage = 2 };

struct subcommand {
  std::string_view name;
  void (*run)(int, const char* const*);
};

constexpr std::array subcommands = {subcommand{"info", info}, subcommand{"generate", generate},
                                    subcommand{"convert", convert}, subcommand{"triangles", triangles},
                                    subcommand{"stream", stream}};

constexpr std::string_view help = R"(Dynamic graph analytics on CPUs and NVIDIA GPUs

Usage:
  mangrove COMMAND [OPTION...] ARGUMENT...

Commands:
  info GRAPH                  size, degree distribution and memory of a graph
  generate KIND -o OUT        random graphs (rmat, rgg, road, mesh) and update streams (stream)
  convert IN OUT              from one file format to another
  triangles GRAPH             the exact number of triangles
  stream [GRAPH] UPDATES      apply updates batch by batch and keep the exact number of triangles

Files, by extension:
  .mtx                        Matrix Market; .gz may follow
  .txt .el .edges .tsv        edge lists, 'u v [weight]' a line, # and % begin comments; .gz may follow
  .mgb                        Mangrove's binary form, the fastest
  -                           standard input or output

Options of all commands:
      --backend NAME          where to work: auto (CUDA if there is a GPU), cuda or cpu
      --threads N             threads of the CPU, 0 for all
      --json                  print JSON
  -q, --quiet                 no progress, no messages but errors
  -h, --help                  help on a command: mangrove COMMAND --help
      --version               print the version

Exit codes: 0 success, 1 error, 2 wrong usage.

Try it:
  mangrove generate rmat --scale 16 -o graph.mtx
  mangrove generate stream --graph graph.mtx -o updates.txt
  mangrove stream graph.mtx updates.txt --verify
)";

void run(int argc, const char* const* argv) {
  const std::string_view first = argc < 2 ? "" : argv[1];
  if (first == "--help" || first == "-h" || first == "help") {
    print(help);
    return;
  }
  if (first == "--version") {
    print(fmt::format("mangrove {}\n", version));
    return;
  }
  for (const auto& [name, command] : subcommands) {
    if (first == name) return command(argc - 1, argv + 1);
  }
  throw bad_usage("", first.empty() ? "no command" : fmt::format("there is no command '{}'", first));
}

int complain(std::string_view message, exit_code code) {
  fmt::print(stderr, "mangrove: {}\n", message);
  return code;
}

int guarded_run(int argc, const char* const* argv) {
  try {
    run(argc, argv);
    finish_printing();
    return exit_success;
  } catch (const bad_usage& error) {
    const std::string command = error.command().empty() ? "mangrove" : fmt::format("mangrove {}", error.command());
    return complain(fmt::format("{}\nTry '{} --help'.", error.what(), command), exit_usage);
  } catch (const std::bad_alloc&) {
    return complain("out of memory", exit_error);
  } catch (const std::exception& error) {
    return complain(error.what(), exit_error);
  }
}

}  // namespace

}  // namespace mangrove::app

int main(int argc, char** argv) {
  // A closed pipe and a file that may not grow are errors of the write, with a message, and no silent end.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  return mangrove::app::guarded_run(argc, argv);
}
