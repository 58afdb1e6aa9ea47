#include "mangrove/io/graph_file.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <csignal>

#include "standard_input.hpp"
#include "support.hpp"

namespace mangrove::io::test {
namespace {

const char* const all_names[] = {"g.mtx",   "g.mtx.gz", "g.txt",   "g.el", "g.tsv",
                                 "g.edges", "G.TXT.GZ", "g.el.gz", "g.mgb"};

void compress(const std::string& path, std::string_view text) {
  const gzFile file = gzopen(path.c_str(), "ab");
  ASSERT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())), static_cast<int>(text.size()));
  gzclose(file);
}

/// No file may grow beyond `bytes` while this lives.
class file_size_limit {
 public:
  explicit file_size_limit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~file_size_limit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  file_size_limit(const file_size_limit&) = delete;
  file_size_limit& operator=(const file_size_limit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST(graph_file, random_graphs_make_the_round_trip) {
  const temporary_folder folder;
  for (const weighting weights : {weighting::none, weighting::doubles}) {
    for (const bool directed : {false, true}) {
      edge_list graph = random_graph(directed ? 5 : 6, 20000, 1, 5000, weights);
      graph.directed = directed;
      for (const char* name : all_names) {
        SCOPED_TRACE(name);
        write_graph(folder.file(name), graph);
        const edge_list read = read_graph(folder.file(name));
        EXPECT_EQ(read.weights, graph.weights);
        ASSERT_EQ(read.size(), graph.size());
        if (std::string_view(name).find(".mtx") != std::string_view::npos) {
          EXPECT_EQ(read.directed, directed);
          for (std::size_t i = 0; i < graph.size(); ++i) {
            const auto wanted = std::minmax(graph.sources[i], graph.targets[i]);
            EXPECT_EQ(std::minmax(read.sources[i], read.targets[i]), wanted);
            if (directed) {
              EXPECT_EQ(read.sources[i], graph.sources[i]);
            }
          }
        } else {
          EXPECT_EQ(read.sources, graph.sources);
          EXPECT_EQ(read.targets, graph.targets);
        }
      }
    }
  }
}

TEST(graph_file, several_parts_keep_their_order) {
  const temporary_folder folder;
  const edge_list graph = random_graph(11, 300000, 0, largest_id, weighting::doubles);
  for (const char* name : {"g.txt", "g.el.gz", "g.mgb"}) {
    write_graph(folder.file(name), graph);
    expect_equal(read_graph(folder.file(name)), graph);
  }
}

TEST(graph_file, empty_graphs_make_the_round_trip) {
  const temporary_folder folder;
  for (const char* name : all_names) {
    SCOPED_TRACE(name);
    write_graph(folder.file(name), {});
    expect_equal(read_graph(folder.file(name)), {});
  }
}

TEST(graph_file, vertex_count_survives_where_the_format_can_hold_it) {
  const temporary_folder folder;
  edge_list graph = random_graph(3, 10, 1, 20, weighting::none);
  graph.vertex_count = 100;
  for (const char* name : {"g.mtx", "g.mgb"}) {
    write_graph(folder.file(name), graph);
    EXPECT_EQ(read_graph(folder.file(name)).vertex_count, 100u);
  }
}

TEST(graph_file, matrix_market_needs_ids_that_can_be_rows) {
  const temporary_folder folder;
  edge_list graph;
  graph.sources = {0, 70};
  graph.targets = {largest_id, 0};
  const std::string path = folder.file("g.mtx");
  expect_io_error([&] { write_graph(path, graph); }, 0, "compact ids");
  graph.sources[0] = graph.targets[1] = 1;
  expect_io_error([&] { write_graph(path, graph); }, 0, "a vertex 18446744073709551615 but only 2 edges");
  EXPECT_EQ(folder.files(), 0u);
}

TEST(graph_file, compact_ids_are_ranks) {
  const temporary_folder folder;
  write_options options;
  options.vertex_ids = ids::compact;
  edge_list graph;
  graph.directed = true;
  graph.sources = {0, 70};
  graph.targets = {largest_id, 0};
  write_graph(folder.file("g.mtx"), graph, options);
  EXPECT_EQ(content_of(folder.file("g.mtx")), "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 3\n2 1\n");
  graph.vertex_count = 4;  // 0, 1, 2, 3, 4, 70, the largest
  write_graph(folder.file("g.mtx"), graph, options);
  EXPECT_EQ(content_of(folder.file("g.mtx")), "%%MatrixMarket matrix coordinate pattern general\n7 7 2\n1 7\n6 1\n");
  graph.targets[1] = 2;
  write_graph(folder.file("g.txt"), graph, options);
  EXPECT_EQ(content_of(folder.file("g.txt")), "1 7\n6 3\n") << "0 comes before the vertices 1 to 4";
  graph.sources[0] = graph.targets[1] = 2;
  write_graph(folder.file("g.txt"), graph, options);
  EXPECT_EQ(content_of(folder.file("g.txt")), "2 6\n5 2\n");
}

TEST(graph_file, text_is_the_shortest_that_reads_back) {
  const temporary_folder folder;
  edge_list graph;
  graph.sources = {1, 2};
  graph.targets = {2, 3};
  graph.weights = {0.1, 3};
  write_graph(folder.file("g.txt"), graph);
  EXPECT_EQ(content_of(folder.file("g.txt")), "1 2 0.1\n2 3 3\n");
  write_graph(folder.file("g.mtx"), graph);
  EXPECT_EQ(content_of(folder.file("g.mtx")),
            "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 0.1\n3 2 3\n");
}

TEST(graph_file, format_can_be_named) {
  const temporary_folder folder;
  read_options options;
  options.format = graph_format::edge_list;
  EXPECT_EQ(read_graph(folder.file("g.dat", "1 2\n"), options).size(), 1u);
  write_options out;
  out.format = graph_format::matrix_market;
  write_graph(folder.file("h.dat"), {}, out);
  EXPECT_EQ(content_of(folder.file("h.dat")), "%%MatrixMarket matrix coordinate pattern symmetric\n0 0 0\n");
}

TEST(graph_file, a_banner_wins_over_the_extension) {
  const temporary_folder folder;
  const std::string path = folder.file("g.txt", "%%MatrixMarket matrix coordinate pattern general\n4 4 1\n1 2\n");
  EXPECT_EQ(read_graph(path).size(), 1u);
  EXPECT_EQ(read_graph(path).vertex_count, 4u);
}

TEST(graph_file, names_that_say_nothing) {
  for (const char* name : {"graph", "graph.csv", "graph.mgb.gz", "graph.gz", "", ".gz"}) {
    SCOPED_TRACE(name);
    expect_io_error([&] { read_graph(name); }, 0, "unknown extension, expected .mtx");
    expect_io_error([&] { write_graph(name, {}); }, 0, "unknown extension, expected .mtx");
  }
}

TEST(graph_file, missing_files_and_folders) {
  const temporary_folder folder;
  expect_io_error([&] { read_graph(folder.file("none.mtx")); }, 0, "cannot be opened: No such file or directory");
  expect_io_error([&] { write_graph(folder.file("none/g.mtx"), {}); }, 0, "No such file or directory");
  std::filesystem::create_directory(folder.file("folder.txt"));
  expect_io_error([&] { read_graph(folder.file("folder.txt")); }, 0, "is a folder");
  expect_io_error([&] { write_graph(folder.file("folder.txt"), {}); }, 0, "is a folder");
}

TEST(graph_file, errors_name_file_and_line) {
  const temporary_folder folder;
  const std::string path = folder.file("bad.txt", "1 2\nx\n");
  try {
    read_graph(path);
    FAIL() << "no error";
  } catch (const io_error& error) {
    EXPECT_EQ(std::string(error.what()).rfind(path + ":2: expected ", 0), 0u) << error.what();
  }
}

TEST(graph_file, gzip_of_several_members) {
  const temporary_folder folder;
  const std::string path = folder.file("g.txt.gz");
  compress(path, "1 2\n3");
  compress(path, " 4\n");
  EXPECT_EQ(read_graph(path).targets, (std::vector<std::uint64_t>{2, 4}));
}

TEST(graph_file, gzip_without_the_extension) {
  const temporary_folder folder;
  compress(folder.file("g.txt"), "1 2\n");
  EXPECT_EQ(read_graph(folder.file("g.txt")).size(), 1u);
  expect_io_error([&] { read_graph(folder.file("h.txt.gz", "1 2\n")); }, 0, "is not gzip-compressed");
  expect_io_error([&] { read_graph(folder.file("i.txt.gz", "")); }, 0, "is not gzip-compressed");
}

TEST(graph_file, truncated_gzip_is_an_error) {
  const temporary_folder folder;
  write_graph(folder.file("g.txt.gz"), random_graph(1, 3000, 0, 99, weighting::doubles));
  const std::string whole = content_of(folder.file("g.txt.gz"));
  for (std::size_t size = 2; size < whole.size(); size += 1 + size / 7) {
    SCOPED_TRACE(size);
    expect_io_error([&] { read_graph(folder.file("t.txt.gz", whole.substr(0, size))); }, 0, "truncated");
  }
  expect_io_error([&] { read_graph(folder.file("t.txt.gz", whole.substr(0, whole.size() - 1))); }, 0, "truncated");
}

TEST(graph_file, corrupt_gzip_is_an_error) {
  const temporary_folder folder;
  write_graph(folder.file("g.txt.gz"), random_graph(1, 3000, 0, 99, weighting::doubles));
  const std::string whole = content_of(folder.file("g.txt.gz"));
  for (std::size_t place = 10; place < whole.size(); place += 997) {
    std::string changed = whole;
    changed[place] = static_cast<char>(changed[place] ^ 0x10);
    SCOPED_TRACE(place);
    EXPECT_THROW(read_graph(folder.file("c.txt.gz", changed)), io_error);
  }
  expect_io_error([&] { read_graph(folder.file("c.txt.gz", whole + "junk")); }, 0, "corrupt");
}

TEST(graph_file, a_full_disk_leaves_nothing_behind) {
  const temporary_folder folder;
  const edge_list graph = random_graph(2, 200000, 1, 1000, weighting::doubles);
  for (const char* name : all_names) {
    SCOPED_TRACE(name);
    const std::string path = folder.file(name, "what was there");
    const std::size_t files = folder.files();
    {
      const file_size_limit limit(100000);
      expect_io_error([&] { write_graph(path, graph); }, 0, "cannot be written: File too large");
    }
    EXPECT_EQ(content_of(path), "what was there");
    EXPECT_EQ(folder.files(), files);
  }
}

TEST(graph_file, a_full_device_is_an_error) {
  write_options options;
  for (const graph_format format : {graph_format::edge_list, graph_format::matrix_market, graph_format::binary}) {
    options.format = format;
    const edge_list graph = random_graph(2, 10, 1, 10, weighting::none);
    expect_io_error([&] { write_graph("/dev/full", graph, options); }, 0, "No space left on device");
  }
}

TEST(graph_file, what_is_refused_leaves_the_old_file) {
  const temporary_folder folder;
  edge_list graph = random_graph(2, 100, 1, 10, weighting::doubles);
  graph.weights[70] = std::nan("");
  for (const char* name : {"g.mtx", "g.txt.gz"}) {
    const std::string path = folder.file(name, "old");
    EXPECT_THROW(write_graph(path, graph), usage_error);
    EXPECT_EQ(content_of(path), "old");
  }
  graph.targets.pop_back();
  EXPECT_THROW(write_graph(folder.file("g.mgb"), graph), usage_error);
  EXPECT_EQ(folder.files(), 2u);
}

TEST(graph_file, replaces_through_symbolic_links_and_keeps_permissions) {
  const temporary_folder folder;
  const std::string target = folder.file("target.txt", "old");
  ASSERT_EQ(::chmod(target.c_str(), 0640), 0);
  std::filesystem::create_symlink("target.txt", folder.file("link.txt"));
  edge_list graph;
  graph.sources = {1};
  graph.targets = {2};
  write_graph(folder.file("link.txt"), graph);
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link.txt")));
  EXPECT_EQ(content_of(target), "1 2\n");
  EXPECT_EQ(static_cast<unsigned>(std::filesystem::status(target).permissions()), 0640u);
}

TEST(graph_file, standard_input_in_every_format) {
  const temporary_folder folder;
  const edge_list graph = random_graph(9, 40000, 1, 5000, weighting::doubles);
  for (const char* name : {"g.mtx", "g.mtx.gz", "g.txt", "g.txt.gz", "g.mgb"}) {
    SCOPED_TRACE(name);
    write_graph(folder.file(name), graph);
    const edge_list from_file = read_graph(folder.file(name));
    {
      const standard_input_from_file redirected(folder.file(name));
      expect_equal(read_graph("-"), from_file);
    }
    const standard_input_from_pipe redirected(content_of(folder.file(name)));
    expect_equal(read_graph("-"), from_file);
  }
}

TEST(graph_file, errors_in_standard_input_name_the_line) {
  const standard_input_from_pipe redirected("1 2\n3 4\n5 six\n");
  expect_io_error([] { read_graph("-"); }, 3, "-:3: ");
}

}  // namespace
}  // namespace mangrove::io::test
