#include "support.hpp"

namespace mangrove::io::test {
namespace {

using numbers = std::vector<std::uint64_t>;

edge_list parse_text(std::string_view text, const read_options& options = {}, std::size_t chunk_bytes = 1 << 20) {
  return parse(graph_format::edge_list, text, options, chunk_bytes);
}

TEST(edge_list, pairs_with_comments_and_blank_lines) {
  const edge_list edges = parse_text("# SNAP\n% KONECT\n\n0 18446744073709551615\r\n \t7\t7 \n#\n3  4");
  EXPECT_EQ(edges.sources, (numbers{0, 7, 3}));
  EXPECT_EQ(edges.targets, (numbers{largest_id, 7, 4}));
  EXPECT_FALSE(edges.weighted());
  EXPECT_FALSE(edges.directed);
  EXPECT_EQ(edges.vertex_count, 0u);
}

TEST(edge_list, weights) {
  const edge_list edges = parse_text("1 2 0.1\n3 4 -1e-3\n5 6 +7\n");
  EXPECT_EQ(edges.weights, (std::vector<double>{0.1, -1e-3, 7}));
  read_options options;
  options.weights = edge_weights::drop;
  options.direction = edge_direction::directed;
  const edge_list dropped = parse_text("1 2 0.1\n", options);
  EXPECT_FALSE(dropped.weighted());
  EXPECT_TRUE(dropped.directed);
}

TEST(edge_list, nothing_in_it) {
  for (const char* text : {"", "\n", "# a", "\r\n\r\n", " "}) EXPECT_EQ(parse_text(text).size(), 0u) << text;
}

TEST(edge_list, byte_order_mark_is_skipped) {
  EXPECT_EQ(parse_text("\xef\xbb\xbf"
                       "1 2\n")
                .size(),
            1u);
}

struct malformed {
  const char* text;
  std::uint64_t line;
  const char* part;
};

constexpr malformed malformed_files[] = {
    {"1\n", 1, "a vertex id, an unsigned 64-bit number, found the end of the line"},
    {"1 2\n-1 2\n", 2, "found '-1'"},
    {"1 2\n\n1 18446744073709551616\n", 3, "'18446744073709551616' does not fit"},
    {"1 2\n1.5 2\n", 2, "found '1.5'"},
    {"1,2\n", 1, "found '1,2'"},
    {"+ 1 2\n", 1, "found '+'"},
    {"1 2\n3 4 5\n", 2, "expected the line to end after two columns"},
    {"1 2 3\n3 4\n", 2, "weight, found the end of the line"},
    {"1 2 3 4\n", 1, "expected the line to end after the weight, found '4'"},
    {"# c\n1 2 1e400\n", 2, "too large"},
    {"1 2 inf\n", 1, "found 'inf'"},
    {"1 2 +-3\n", 1, "found '+-3'"},
    {"1 2\n1 2 # x\n", 2, "found '#'"},
    {"1 2\n1 2x", 2, "found '2x'"},
    {"1 99999999999999999999x\n", 1, "found '99999999999999999999x'"},
    {"12345678901234567890123456789012345678901234567890z 1", 1, "...'"},
};

TEST(edge_list, malformed_files_name_the_line) {
  for (const malformed& file : malformed_files) {
    SCOPED_TRACE(file.text);
    expect_io_error([&] { parse_text(file.text); }, file.line, file.part);
  }
}

TEST(edge_list, the_line_is_exact_whatever_the_chunks) {
  for (const malformed& file : malformed_files) {
    for (const std::size_t chunk_bytes : {1, 3, 8}) {
      SCOPED_TRACE(std::string(file.text) + "\nchunks of " + std::to_string(chunk_bytes));
      expect_io_error([&] { parse_text(file.text, {}, chunk_bytes); }, file.line, "name:");
    }
  }
}

TEST(edge_list, the_first_of_several_errors_is_reported) {
  std::string text;
  for (int i = 1; i <= 1000; ++i) text += i % 250 == 0 ? "oops\n" : "1 2\n";
  for (int repeat = 0; repeat < 20; ++repeat) {
    expect_io_error([&] { parse_text(text, {}, 16); }, 250, "found 'oops'");
  }
}

TEST(edge_list, chunks_do_not_matter) {
  std::string text;
  for (int i = 0; i < 300; ++i) {
    if (i % 11 == 0) text += i % 2 == 0 ? "# comment\n" : "\n";
    text += std::to_string(i * 7919 % 1000) + " " + std::to_string(i) + (i % 5 == 0 ? "\r\n" : "\n");
  }
  text.pop_back();  // no newline at the end
  const edge_list whole = parse_text(text);
  ASSERT_EQ(whole.size(), 300u);
  for (std::size_t chunk_bytes = 1; chunk_bytes < 100; ++chunk_bytes) {
    expect_equal(parse_text(text, {}, chunk_bytes), whole);
  }
}

TEST(edge_list, endless_lines_are_an_error) {
  const std::string endless(std::size_t{3} << 20, '7');
  expect_io_error([&] { parse_text("1 2\n" + endless); }, 2, "");
  expect_io_error([&] { parse_text("1 2\n# " + endless, {}, 64); }, 2, "longer than 1 MiB");
}

}  // namespace
}  // namespace mangrove::io::test
