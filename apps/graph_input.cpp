#include "apps/graph_input.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mangrove/core/bulk.hpp"
#include "mangrove/core/error.hpp"

namespace mangrove::app {

namespace {

constexpr std::uint64_t few_ids = std::uint64_t{1} << 20;
constexpr std::uint64_t ids_per_edge = 4;

// What a graph can hold.
constexpr std::uint64_t most_vertices = (std::uint64_t{1} << 32) - 8;
constexpr std::uint64_t largest_dense_id = most_vertices - 1;

std::uint64_t largest_id(const edge_list& edges) {
  const cpu_resources res(1);
  return std::max(max_value(res, edges.sources.data(), edges.size()),
                  max_value(res, edges.targets.data(), edges.size()));
}

}  // namespace

void add_graph_choices(command_line& line) {
  line.add<std::string>("adjacency", "POLICY", "how neighbours are kept: by_degree, hash or tree", "by_degree");
  line.add<std::string>(
      "ids", "SPACE",
      "how ids become positions: dense (a table up to the largest id), sparse (a hash table) or auto (dense for "
      "Matrix Market, and where ids are below 2^20 or four times the edges)",
      "auto");
}

graph_choices read_graph_choices(const command_line& line) {
  graph_choices choices;
  choices.adjacency = line.choice<adjacency_policy>("adjacency", {"by_degree", "hash", "tree"});
  choices.ids = line.choice<graph_choices::id_choice>("ids", {"auto", "dense", "sparse"});
  return choices;
}

std::string name_of(adjacency_policy policy) {
  if (policy == adjacency_policy::tree) return "tree";
  return policy == adjacency_policy::by_degree ? "by_degree" : "hash";
}

id_space choose_ids(const graph_choices& choices, const edge_list& edges, later_updates later) {
  if (choices.ids == graph_choices::id_choice::dense) return id_space::dense;
  if (choices.ids == graph_choices::id_choice::sparse) return id_space::sparse;
  const std::uint64_t largest = std::max(largest_id(edges), edges.vertex_count);
  const std::uint64_t small = std::max(few_ids, ids_per_edge * edges.size());
  const bool rows = edges.vertex_count != 0;
  if (later == later_updates::expected && !rows) return id_space::sparse;
  return largest <= largest_dense_id && largest <= std::max(small, edges.vertex_count) ? id_space::dense
                                                                                       : id_space::sparse;
}

edge_list read_edges(const std::string& path, const io::read_options& options) {
  edge_list edges = io::read_graph(path, options);
  if (edges.vertex_count < most_vertices) return edges;
  throw io_error(path, 0,
                 fmt::format("has {} vertices, a graph holds at most {}", edges.vertex_count, most_vertices - 1));
}

}  // namespace mangrove::app
