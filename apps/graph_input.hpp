#pragma once

#include <cstdint>
#include <string>

#include "apps/command_line.hpp"
#include "mangrove/graph/dynamic_graph.hpp"
#include "mangrove/io/graph_file.hpp"

namespace mangrove::app {

/// The graph that all subcommands work with: any ids, no weights.
template <backend B>
using app_graph = dynamic_graph<B, std::uint64_t, none>;

/// What a subcommand that builds a graph accepts besides.
struct graph_choices {
  adjacency_policy adjacency = adjacency_policy::by_degree;
  enum class id_choice { automatic, dense, sparse } ids = id_choice::automatic;
};

/// Adds --adjacency and --ids.
void add_graph_choices(command_line& line);
graph_choices read_graph_choices(const command_line& line);

/// The policy as the command line and JSON name it.
std::string name_of(adjacency_policy policy);

/// Whether updates with ids that are not known yet will follow.
enum class later_updates { none, expected };

/// The id space for a graph. Unless the user chose: dense when its vertices are the rows of a matrix and the ids do not
/// reach far beyond them; dense when all ids are known and the largest is at most 2^20 or four times the number of
/// edges; else sparse.
id_space choose_ids(const graph_choices& choices, const edge_list& edges, later_updates later);

/// Reads a graph to be built. @throws io_error as `io::read_graph`, and when it has more vertices than a graph can hold
edge_list read_edges(const std::string& path, const io::read_options& options);

/// Makes an undirected or directed graph, as `edges` is, on the backend.
template <backend B>
app_graph<B> build_graph(const resources<B>& res, const edge_list& edges, const graph_choices& choices,
                         later_updates later = later_updates::none) {
  graph_options options;
  options.direction = edges.directed ? edge_direction::directed : edge_direction::undirected;
  options.ids = choose_ids(choices, edges, later);
  options.adjacency = choices.adjacency;
  app_graph<B> graph(res, options);
  graph.insert(res, edges);
  res.synchronize();
  return graph;
}

}  // namespace mangrove::app
