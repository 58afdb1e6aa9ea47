#pragma once

#include <string>

#include "apps/command_line.hpp"
#include "mangrove/io/graph_file.hpp"

namespace mangrove::app {

/// The value of a format option (`auto`, `mtx`, `el` or `mgb`). @throws bad_usage
inline io::graph_format read_format(const command_line& line, const std::string& option) {
  return line.choice<io::graph_format>(option, {"auto", "mtx", "el", "mgb"});
}

/// The value of `--direction`. @throws bad_usage
inline io::edge_direction read_direction(const command_line& line) {
  return line.choice<io::edge_direction>("direction", {"as-stored", "undirected", "directed"});
}

inline void add_direction(command_line& line) {
  line.add<std::string>(
      "direction", "HOW",
      "as-stored (general matrices are directed, other matrices and edge lists are not), undirected or directed",
      "as-stored");
}

}  // namespace mangrove::app
