#pragma once

#include <string>

#include "mangrove/graph/edge_list.hpp"

/// @file
/// Reading and writing whole graphs: Matrix Market, whitespace edge lists, and Mangrove's binary form.
///
/// By name: `.mtx` is Matrix Market; `.txt`, `.el`, `.edges` and `.tsv` are edge lists; `.mgb` is the binary form. The
/// text formats take a further `.gz`. `-` is standard input or output. What is read and gzip-compressed is
/// recognised by its first bytes whatever its name, and so is a Matrix Market banner.
///
/// All functions throw `io_error` for what is wrong with a file (its name, the line, what was expected), and keep no
/// state: different files may be read and written from different threads.

namespace mangrove::io {

enum class graph_format {
  by_name,        ///< by extension; `-` is told by its first bytes when read, and is an edge list when written
  matrix_market,  ///< `%%MatrixMarket matrix coordinate|array pattern|integer|real|complex general|symmetric|...`
  edge_list,      ///< a line an edge, `u v` or `u v weight`; lines that start with `#` or `%` are comments
  binary          ///< columns of 64-bit words behind a checked header; loads at the speed of memory
};

/// How to take the direction of the edges of a file.
enum class edge_direction {
  as_stored,   ///< Matrix Market: general is directed, all else undirected; binary: as written; edge lists: undirected
  undirected,  ///< (u, v) and (v, u) are one edge
  directed     ///< (u, v) and (v, u) are two; a file that stores undirected edges gets each of them both ways
};

/// What to do with the third column (edge lists) or the values (Matrix Market) and the weights of a binary file.
enum class edge_weights { keep, drop };

/// What a Matrix Market file with more rows than columns, or fewer, means.
enum class rectangular_matrix {
  bipartite,  ///< rows are the vertices 1 to rows, columns the vertices rows + 1 to rows + columns
  reject      ///< an `io_error`
};

struct read_options {
  graph_format format = graph_format::by_name;
  edge_direction direction = edge_direction::as_stored;
  edge_weights weights = edge_weights::keep;
  rectangular_matrix rectangular = rectangular_matrix::bipartite;
};

/// Reads a graph into host memory.
///
/// Ids are the file's own: 1-based rows and columns in Matrix Market, any unsigned 64-bit numbers in edge lists.
/// Repeated edges and self loops are kept as they come.
///
/// Matrix Market: `vertex_count` is the number of rows (plus columns where the matrix is bipartite) and is *not*
/// bounded by the file's size, unlike everything this function allocates. Symmetric, skew-symmetric and Hermitian
/// matrices give undirected edges, listed as they are stored; with `edge_direction::directed` the mirrored entry of a
/// skew-symmetric matrix has the negated weight. The weight of a complex entry is its magnitude. Of an array, entries
/// other than zero are edges; explicit zeros of a coordinate file stay edges. Integers beyond 2^53 are rounded to the
/// nearest double.
///
/// Cost: text is parsed in parallel (on TBB's current arena), gzip is decompressed on one thread meanwhile. Memory is
/// that of the result, at most doubled while it grows, and a few MiB.
///
/// @throws io_error the file is missing, unreadable or malformed; its name tells no format
/// @throws memory_error the graph does not fit into memory
edge_list read_graph(const std::string& path, const read_options& options = {});

/// Which ids a written file uses.
enum class ids {
  keep,    ///< the graph's own
  compact  ///< 1 to n: the rank, in increasing order of id, among all vertices (edges' ends and 1 to `vertex_count`)
};

struct write_options {
  graph_format format = graph_format::by_name;
  ids vertex_ids = ids::keep;
};

/// Writes a graph, aside and then renamed: after an error the path is as it was before the call.
///
/// Weights are written so that reading them gives the same doubles. Matrix Market: undirected graphs are written as
/// `symmetric` (lower triangle), directed ones as `general`; the matrix has max(`vertex_count`, largest id) rows.
/// Edge lists keep neither `vertex_count` nor the direction. A path that is no regular file (`-`, a device, a pipe)
/// is written in place.
///
/// Cost: text is formatted and compressed in parallel; a `.gz` holds one member for each MiB or so of text.
///
/// @throws io_error the file cannot be written; or the ids cannot be rows of a matrix: one is 0, or they are so sparse
///         that the matrix would be nearly all empty rows (`ids::compact` writes such graphs)
/// @throws usage_error columns of `edges` differ in length, or a weight to be written as text is not finite
void write_graph(const std::string& path, const edge_list& edges, const write_options& options = {});

}  // namespace mangrove::io
