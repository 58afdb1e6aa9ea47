#pragma once

#include <string>

#include "mangrove/io/graph_file.hpp"

namespace mangrove::io::detail {

/// The format that a file's name tells; `by_name` for `-`. Throws `io_error` for an unknown extension.
graph_format format_of_name(const std::string& path);

}  // namespace mangrove::io::detail
