#include <cmath>

#include "support.hpp"

namespace mangrove::io::test {
namespace {

using numbers = std::vector<std::uint64_t>;

edge_list parse_mtx(std::string_view text, const read_options& options = {}, std::size_t chunk_bytes = 1 << 20) {
  return parse(graph_format::matrix_market, text, options, chunk_bytes);
}

TEST(matrix_market, general_pattern_is_directed_and_unweighted) {
  const edge_list edges = parse_mtx("%%MatrixMarket matrix coordinate pattern general\n% note\n\n3 3 2\n1 2\n3 1\n");
  EXPECT_EQ(edges.sources, (numbers{1, 3}));
  EXPECT_EQ(edges.targets, (numbers{2, 1}));
  EXPECT_FALSE(edges.weighted());
  EXPECT_TRUE(edges.directed);
  EXPECT_EQ(edges.vertex_count, 3u);
}

TEST(matrix_market, symmetric_kinds_are_undirected) {
  for (const char* kind : {"real symmetric", "real skew-symmetric", "integer symmetric"}) {
    const edge_list edges = parse_mtx(std::string("%%MatrixMarket matrix coordinate ") + kind + "\n3 3 1\n3 1 -7\n");
    EXPECT_FALSE(edges.directed) << kind;
    EXPECT_EQ(edges.weights, std::vector<double>{-7}) << kind;
  }
}

TEST(matrix_market, words_in_any_case_and_blanks_anywhere) {
  const edge_list edges =
      parse_mtx("%%matrixmarket  MATRIX\tCoordinate REAL Symmetric \r\n  2 2 1\r\n\r\n \t2  1   +1.5e1\t\r\n\r\n");
  EXPECT_EQ(edges.weights, std::vector<double>{15});
}

TEST(matrix_market, complex_weight_is_the_magnitude) {
  const edge_list edges = parse_mtx("%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n2 1 3 -4\n");
  EXPECT_EQ(edges.weights, std::vector<double>{5});
  EXPECT_FALSE(edges.directed);
}

TEST(matrix_market, directed_reading_mirrors_symmetric_files) {
  read_options options;
  options.direction = edge_direction::directed;
  const edge_list skew =
      parse_mtx("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 5\n3 2 -1\n", options);
  EXPECT_TRUE(skew.directed);
  EXPECT_EQ(skew.sources, (numbers{2, 3, 1, 2}));
  EXPECT_EQ(skew.targets, (numbers{1, 2, 2, 3}));
  EXPECT_EQ(skew.weights, (std::vector<double>{5, -1, -5, 1}));
  const edge_list loop = parse_mtx("%%MatrixMarket matrix coordinate pattern symmetric\n1 1 1\n1 1\n", options);
  EXPECT_EQ(loop.size(), 1u) << "a self loop has no mirror";
}

TEST(matrix_market, general_read_as_undirected) {
  read_options options;
  options.direction = edge_direction::undirected;
  EXPECT_FALSE(parse_mtx("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n", options).directed);
}

TEST(matrix_market, weights_can_be_dropped) {
  read_options options;
  options.weights = edge_weights::drop;
  EXPECT_FALSE(parse_mtx("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 3\n", options).weighted());
  EXPECT_FALSE(parse_mtx("%%MatrixMarket matrix array real general\n1 1\n3\n", options).weighted());
}

TEST(matrix_market, arrays_by_columns_without_zeros) {
  const edge_list general = parse_mtx("%%MatrixMarket matrix array real general\n2 2\n0\n21\n12\n0.0\n");
  EXPECT_EQ(general.sources, (numbers{2, 1}));
  EXPECT_EQ(general.targets, (numbers{1, 2}));
  EXPECT_EQ(general.weights, (std::vector<double>{21, 12}));
  const edge_list symmetric = parse_mtx("%%MatrixMarket matrix array integer symmetric\n3 3\n11\n21\n31\n22\n32\n33\n");
  EXPECT_EQ(symmetric.weights, (std::vector<double>{11, 21, 31, 22, 32, 33}));
  EXPECT_EQ(symmetric.sources, (numbers{1, 2, 3, 2, 3, 3}));
  EXPECT_EQ(symmetric.targets, (numbers{1, 1, 1, 2, 2, 3}));
  const edge_list skew = parse_mtx("%%MatrixMarket matrix array real skew-symmetric\n3 3\n21\n31\n32\n");
  EXPECT_EQ(skew.sources, (numbers{2, 3, 3}));
  EXPECT_EQ(skew.targets, (numbers{1, 1, 2}));
  const edge_list complex = parse_mtx("%%MatrixMarket matrix array complex general\n1 2\n0 0\n0 -2\n");
  EXPECT_EQ(complex.weights, std::vector<double>{2});
}

TEST(matrix_market, rectangular_is_bipartite_or_rejected) {
  const char* text = "%%MatrixMarket matrix coordinate pattern general\n2 3 2\n1 1\n2 3\n";
  const edge_list edges = parse_mtx(text);
  EXPECT_EQ(edges.vertex_count, 5u);
  EXPECT_EQ(edges.sources, (numbers{1, 2}));
  EXPECT_EQ(edges.targets, (numbers{3, 5}));
  read_options options;
  options.rectangular = rectangular_matrix::reject;
  expect_io_error([&] { parse_mtx(text, options); }, 2, "expected a square matrix, found 2 rows and 3 columns");
}

TEST(matrix_market, empty_matrices) {
  EXPECT_EQ(parse_mtx("%%MatrixMarket matrix coordinate real general\n0 0 0\n").size(), 0u);
  EXPECT_EQ(parse_mtx("%%MatrixMarket matrix coordinate real general\n7 7 0").vertex_count, 7u);
  EXPECT_EQ(parse_mtx("%%MatrixMarket matrix array real skew-symmetric\n1 1\n").size(), 0u);
  EXPECT_EQ(parse_mtx("%%MatrixMarket matrix array real symmetric\n0 0\n").size(), 0u);
}

TEST(matrix_market, numbers_at_their_limits) {
  const edge_list edges = parse_mtx(
      "%%MatrixMarket matrix coordinate real general\n18446744073709551615 18446744073709551615 3\n"
      "18446744073709551615 1 1.7976931348623157e308\n1 18446744073709551615 1e-999\n1 1 -5e-324\n");
  EXPECT_EQ(edges.sources, (numbers{largest_id, 1, 1}));
  EXPECT_EQ(edges.targets, (numbers{1, largest_id, 1}));
  EXPECT_EQ(edges.weights, (std::vector<double>{1.7976931348623157e308, 0, -5e-324}));
}

TEST(matrix_market, a_size_line_that_lies_costs_no_memory) {
  for (const char* size : {"9 9 1000000000000000000", "9 9 18446744073709551615"}) {
    expect_io_error(
        [&] { parse_mtx(std::string("%%MatrixMarket matrix coordinate pattern general\n") + size + "\n1 1\n"); }, 3,
        "but the file ends after 1");
  }
  expect_io_error([&] { parse_mtx("%%MatrixMarket matrix array real general\n4000000000 4000000000\n1\n"); }, 3,
                  "says 16000000000000000000 entries, but the file ends after 1");
}

struct malformed {
  const char* text;
  std::uint64_t line;
  const char* part;
};

constexpr malformed malformed_files[] = {
    {"", 0, "is empty"},
    {"1 2\n", 1, "expected the banner"},
    {"%%MatrixMarketX matrix coordinate pattern general\n", 1, "expected the banner"},
    {"%%MatrixMarket\n", 1, "expected 'matrix'"},
    {"%%MatrixMarket vector coordinate pattern general\n", 1, "'vector' is not supported"},
    {"%%MatrixMarket matrix dense real general\n", 1, "'coordinate' or 'array', found 'dense'"},
    {"%%MatrixMarket matrix coordinate\n", 1, "found the end of the line"},
    {"%%MatrixMarket matrix coordinate quaternion general\n", 1, "found 'quaternion'"},
    {"%%MatrixMarket matrix coordinate real lopsided\n", 1, "found 'lopsided'"},
    {"%%MatrixMarket matrix coordinate real general more\n", 1, "found 'more'"},
    {"%%MatrixMarket matrix array pattern general\n", 1, "an array cannot be a pattern"},
    {"%%MatrixMarket matrix coordinate real hermitian\n", 1, "only a complex matrix"},
    {"%%MatrixMarket matrix coordinate pattern skew-symmetric\n", 1, "a pattern cannot be skew-symmetric"},
    {"%%MatrixMarket matrix coordinate real general\n% only\n\n", 3, "ends before its size line"},
    {"%%MatrixMarket matrix coordinate real general\n%\n2 2\n", 3, "found the end of the line"},
    {"%%MatrixMarket matrix coordinate real general\n2 2 1 1\n", 2, "found '1'"},
    {"%%MatrixMarket matrix coordinate real general\n-2 2 1\n", 2, "found '-2'"},
    {"%%MatrixMarket matrix coordinate real general\n2 2 18446744073709551616\n", 2, "does not fit"},
    {"%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n1 1 1\n", 2, "must be square"},
    {"%%MatrixMarket matrix array real general\n5000000000 5000000000\n", 2, "more entries than 64 bits count"},
    {"%%MatrixMarket matrix array real symmetric\n18446744073709551615 18446744073709551615\n", 2, "64 bits count"},
    {"%%MatrixMarket matrix coordinate real general\n18446744073709551615 2 0\n", 2, "more vertices than 64 bits"},
    {"%%MatrixMarket matrix coordinate real general\n2 2 1\n0 1 1\n", 3,
     "row 0 is outside the matrix, expected 1 to 2"},
    {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 1\n", 3, "column 3 is outside"},
    {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1\n", 3, "a column number, found the end of the line"},
    {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2\n", 3, "value, a finite number, found the end"},
    {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 x\n", 3, "found 'x'"},
    {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 1e999\n", 3, "too large"},
    {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 nan\n", 3, "found 'nan'"},
    {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 -inf\n", 3, "found '-inf'"},
    {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 1 1\n", 3, "expected the line to end after the entry"},
    {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 1.5z\n", 3, "found '1.5z'"},
    {"%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 9223372036854775808\n", 3, "does not fit"},
    {"%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 1.5\n", 3, "found '1.5'"},
    {"%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 2 1\n", 3, "the imaginary part"},
    {"%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 2 1.7e308 1.7e308\n", 3, "magnitude is too large"},
    {"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 2 1\n", 3, "no entries on its diagonal"},
    {"%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n", 3, "says 2 entries, but the file ends after 1"},
    {"%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n\n", 4, "but the file ends after 1"},
    {"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n\n% x\n2 1\n", 6,
     "the size line (line 2) says 1 entries, but another one follows"},
    {"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n2 1\nx\n", 4, "another one follows"},
    {"%%MatrixMarket matrix coordinate pattern general\n2 2 0\n1 2", 3, "another one follows"},
    {"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2 # no comment\n", 3, "found '#'"},
    {"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 \x01\xff\n", 3, "found '\\x01\\xff'"},
    {"%%MatrixMarket matrix array real general\n2 1\n1\n2\n3\n", 5, "another one follows"},
    {"%%MatrixMarket matrix array real general\n2 2\n1\n2\n", 4, "says 4 entries, but the file ends after 2"},
    {"%%MatrixMarket matrix array real general\n2 1\n1 2\n", 3, "expected the line to end after the entry, found '2'"},
};

TEST(matrix_market, malformed_files_name_the_line) {
  for (const malformed& file : malformed_files) {
    for (const std::size_t chunk_bytes : {1, 7, 1 << 20}) {
      SCOPED_TRACE(std::string(file.text) + "\nchunks of " + std::to_string(chunk_bytes));
      expect_io_error([&] { parse_mtx(file.text, {}, chunk_bytes); }, file.line, file.part);
    }
  }
}

TEST(matrix_market, chunks_do_not_matter) {
  std::string text = "%%MatrixMarket matrix coordinate real general\n%\n100 100 300\n";
  for (int i = 0; i < 300; ++i) {
    if (i % 17 == 0) text += "% comment\n\n";
    text += std::to_string(i % 100 + 1) + (i % 3 == 0 ? "\t" : "  ") + std::to_string(i * 7 % 100 + 1) + " " +
            std::to_string(i * 0.37) + (i % 5 == 0 ? "\r\n" : "\n");
  }
  const edge_list whole = parse_mtx(text);
  ASSERT_EQ(whole.size(), 300u);
  for (std::size_t chunk_bytes = 1; chunk_bytes < 100; ++chunk_bytes) {
    expect_equal(parse_mtx(text, {}, chunk_bytes), whole);
  }
}

}  // namespace
}  // namespace mangrove::io::test
