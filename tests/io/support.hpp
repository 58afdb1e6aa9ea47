#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <string_view>

#include "graph_parsers.hpp"
#include "mangrove/core/error.hpp"
#include "mangrove/graph/edge_list.hpp"
#include "mangrove/io/graph_file.hpp"

namespace mangrove::io::test {

/// A folder that goes with its object.
class temporary_folder {
 public:
  temporary_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "mangrove-io-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~temporary_folder() { std::filesystem::remove_all(path_); }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] std::string file(const std::string& name, std::string_view content) const {
    std::ofstream(file(name), std::ios::binary) << content;
    return file(name);
  }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

inline std::string content_of(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

/// Runs `action`, which must throw an `io_error` at `line` whose message has `part` in it.
template <typename Action>
void expect_io_error(const Action& action, std::uint64_t line, std::string_view part) {
  try {
    action();
    ADD_FAILURE() << "no error, expected one at line " << line << " with '" << part << "'";
  } catch (const io_error& error) {
    EXPECT_EQ(error.line(), line) << error.what();
    EXPECT_NE(std::string_view(error.what()).find(part), std::string_view::npos)
        << error.what() << "\nexpected: " << part;
  }
}

inline edge_list parse(graph_format format, std::string_view text, read_options options = {},
                       std::size_t chunk_bytes = detail::text_source::default_chunk_bytes) {
  options.format = format;
  detail::input input("name", text);
  return detail::parse_graph(input, options, chunk_bytes);
}

inline void expect_equal(const edge_list& a, const edge_list& b) {
  EXPECT_EQ(a.sources, b.sources);
  EXPECT_EQ(a.targets, b.targets);
  EXPECT_EQ(a.weights, b.weights);
  EXPECT_EQ(a.vertex_count, b.vertex_count);
  EXPECT_EQ(a.directed, b.directed);
}

enum class weighting { none, doubles };

/// A random double of any size and sign, never an infinity.
inline double random_double(std::mt19937_64& random) {
  for (;;) {
    const std::uint64_t bits = random();
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    if (std::isfinite(value)) return value;
  }
}

inline edge_list random_graph(std::uint64_t seed, std::size_t edges, std::uint64_t first_id, std::uint64_t last_id,
                              weighting weights) {
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<std::uint64_t> id(first_id, last_id);
  edge_list list;
  for (std::size_t i = 0; i < edges; ++i) {
    list.sources.push_back(id(random));
    list.targets.push_back(id(random));
    if (weights == weighting::doubles) list.weights.push_back(random_double(random));
  }
  return list;
}

constexpr std::uint64_t largest_id = std::numeric_limits<std::uint64_t>::max();

}  // namespace mangrove::io::test
