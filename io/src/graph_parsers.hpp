#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mangrove/graph/edge_list.hpp"
#include "mangrove/io/graph_file.hpp"
#include "text_source.hpp"

/// @file
/// The parsers behind `read_graph`, on sources that need no files.

namespace mangrove::io::detail {

edge_list parse_matrix_market(text_source& source, const read_options& options);
edge_list parse_edge_list(text_source& source, const read_options& options);
/// @param memory at an address divisible by 8
edge_list parse_binary(const std::string& name, std::string_view memory, const read_options& options);

/// Parses what `input` holds, in the format of its content where that is plain, else in that of its name.
edge_list parse_graph(input& input, const read_options& options,
                      std::size_t chunk_bytes = text_source::default_chunk_bytes);

/// The columns of an `edge_list` as they come from one chunk of text.
struct edge_columns {
  std::vector<std::uint64_t> sources;
  std::vector<std::uint64_t> targets;
  std::vector<double> weights;
};

/// Appends the columns of a chunk of `chunk_bytes` bytes, of which `rest_bytes` are still to come (0: unknown).
void append(edge_list& edges, const edge_columns& columns, std::size_t chunk_bytes, std::size_t rest_bytes);

/// Lists each edge that is no self loop in the other direction too; `sign` multiplies the weight there.
void add_mirrored(edge_list& edges, double sign);

/// Whether these are the first bytes of a binary graph; `magic_bytes` of them decide.
[[nodiscard]] bool is_binary(std::string_view begin);
constexpr std::size_t magic_bytes = 8;

}  // namespace mangrove::io::detail
