#include <cstring>

#include "binary_format.hpp"
#include "support.hpp"

namespace mangrove::io::test {
namespace {

/// A valid file whose header `change` may spoil before its checksum is made.
template <typename Change>
std::string binary_file(const Change& change, std::size_t words = 4) {
  detail::binary_header header{};
  header.magic = detail::binary_header::expected_magic;
  header.byte_order = detail::binary_header::expected_byte_order;
  header.version = detail::binary_header::current_version;
  header.edge_count = 2;
  header.vertex_count = 9;
  change(header);
  header.checksum = detail::header_checksum(header);
  std::string bytes(sizeof header + words * 8, '\0');
  std::memcpy(bytes.data(), &header, sizeof header);
  for (std::size_t i = 0; i < words; ++i) {
    const std::uint64_t word = i + 1;
    std::memcpy(bytes.data() + sizeof header + 8 * i, &word, 8);
  }
  return bytes;
}

edge_list parse_mgb(std::string_view bytes, const read_options& options = {}) {
  return parse(graph_format::binary, bytes, options);
}

TEST(binary_graph, reads_what_the_format_says) {
  const edge_list edges = parse_mgb(binary_file([](auto&) {}));
  EXPECT_EQ(edges.sources, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(edges.targets, (std::vector<std::uint64_t>{3, 4}));
  EXPECT_EQ(edges.vertex_count, 9u);
  EXPECT_FALSE(edges.directed);
}

TEST(binary_graph, undirected_file_read_as_directed_is_mirrored) {
  read_options options;
  options.direction = edge_direction::directed;
  const edge_list edges = parse_mgb(binary_file([](auto&) {}), options);
  EXPECT_TRUE(edges.directed);
  EXPECT_EQ(edges.sources, (std::vector<std::uint64_t>{1, 2, 3, 4}));
  const auto directed_file = binary_file([](auto& header) { header.flags = detail::binary_header::directed_flag; });
  EXPECT_EQ(parse_mgb(directed_file, options).size(), 2u);
  options.direction = edge_direction::undirected;
  EXPECT_FALSE(parse_mgb(directed_file, options).directed);
}

TEST(binary_graph, every_truncation_is_an_error) {
  const std::string file = binary_file([](auto&) {});
  for (std::size_t size = 0; size < file.size(); ++size) {
    SCOPED_TRACE(size);
    expect_io_error([&] { parse_mgb(file.substr(0, size)); }, 0, "truncated");
  }
  expect_io_error([&] { parse_mgb(file + "x"); }, 0, "has 97 bytes, expected 96");
}

TEST(binary_graph, every_changed_bit_of_the_header_is_an_error) {
  const std::string file = binary_file([](auto&) {});
  for (std::size_t bit = 0; bit < 8 * sizeof(detail::binary_header); ++bit) {
    std::string changed = file;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    SCOPED_TRACE(bit);
    EXPECT_THROW(parse_mgb(changed), io_error);
  }
}

TEST(binary_graph, headers_that_lie) {
  const auto expect = [](auto change, const char* part) {
    expect_io_error([&] { parse_mgb(binary_file(change)); }, 0, part);
  };
  expect([](auto& header) { header.edge_count = 3; }, "expected 112 for the 3 edges");
  expect([](auto& header) { header.edge_count = std::uint64_t{1} << 60; }, "expected more than 2^64");
  expect([](auto& header) { header.edge_count = largest_id; }, "expected more than 2^64");
  expect([](auto& header) { header.flags = detail::binary_header::weighted_flag; }, "expected 112 for the 2 edges");
  expect([](auto& header) { header.flags = 4; }, "unknown flags");
  expect([](auto& header) { header.version = 2; }, "version 2 of the binary form, expected version 1");
  expect([](auto& header) { header.byte_order = 0x04030201; }, "the other byte order");
  expect([](auto& header) { header.magic[0] = 'x'; }, "is no binary graph");
}

}  // namespace
}  // namespace mangrove::io::test
