#include <tbb/parallel_invoke.h>

#include <cstring>

#include "binary_format.hpp"
#include "graph_parsers.hpp"
#include "mangrove/core/error.hpp"

namespace mangrove::io::detail {

namespace {

constexpr std::size_t word_bytes = sizeof(std::uint64_t);

binary_header read_header(const std::string& name, std::string_view memory) {
  binary_header header;
  if (memory.size() < sizeof header) throw io_error(name, 0, "is too short for a binary graph: it is truncated");
  std::memcpy(&header, memory.data(), sizeof header);
  if (header.magic != binary_header::expected_magic) throw io_error(name, 0, "is no binary graph of Mangrove");
  if (header.byte_order != binary_header::expected_byte_order) {
    throw io_error(name, 0, "was written on a machine of the other byte order; convert it there to a text format");
  }
  if (header.version != binary_header::current_version) {
    throw io_error(name, 0,
                   "has version " + std::to_string(header.version) + " of the binary form, expected version " +
                       std::to_string(binary_header::current_version));
  }
  if (header.checksum != header_checksum(header)) throw io_error(name, 0, "is corrupt: its header's checksum is wrong");
  constexpr std::uint64_t known_flags = binary_header::directed_flag | binary_header::weighted_flag;
  if ((header.flags & ~known_flags) != 0) throw io_error(name, 0, "is corrupt: its header has unknown flags");
  return header;
}

void check_length(const std::string& name, std::uint64_t bytes, const binary_header& header, std::uint64_t columns) {
  std::uint64_t expected = 0;
  const bool overflows = __builtin_mul_overflow(header.edge_count, columns * word_bytes, &expected) ||
                         __builtin_add_overflow(expected, sizeof header, &expected);
  if (!overflows && expected == bytes) return;
  throw io_error(name, 0,
                 "has " + std::to_string(bytes) + " bytes, expected " +
                     (overflows ? std::string("more than 2^64") : std::to_string(expected)) + " for the " +
                     std::to_string(header.edge_count) + " edges of its header: it is truncated or corrupt");
}

}  // namespace

bool is_binary(std::string_view begin) {
  const auto& magic = binary_header::expected_magic;
  return begin.size() >= magic.size() && std::memcmp(begin.data(), magic.data(), magic.size()) == 0;
}

edge_list parse_binary(const std::string& name, std::string_view memory, const read_options& options) {
  const binary_header header = read_header(name, memory);
  const bool weighted = (header.flags & binary_header::weighted_flag) != 0;
  check_length(name, memory.size(), header, weighted ? 3 : 2);
  const std::size_t count = header.edge_count;
  const char* columns = memory.data() + sizeof header;
  edge_list edges;
  // Assigning copies without filling with zeros before; each column is copied by one thread.
  const auto copy = [&](auto& column, std::size_t index) {
    using value = typename std::remove_reference_t<decltype(column)>::value_type;
    const auto* begin = reinterpret_cast<const value*>(columns + index * count * word_bytes);
    column.assign(begin, begin + count);
  };
  tbb::parallel_invoke([&] { copy(edges.sources, 0); }, [&] { copy(edges.targets, 1); },
                       [&] {
                         if (weighted && options.weights == edge_weights::keep) copy(edges.weights, 2);
                       });
  const bool stored_directed = (header.flags & binary_header::directed_flag) != 0;
  edges.vertex_count = header.vertex_count;
  edges.directed = options.direction == edge_direction::directed ||
                   (options.direction == edge_direction::as_stored && stored_directed);
  if (edges.directed && !stored_directed) add_mirrored(edges, 1);
  return edges;
}

}  // namespace mangrove::io::detail
