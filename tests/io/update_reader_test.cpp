#include "mangrove/io/update_reader.hpp"

#include "mangrove/io/write_updates.hpp"
#include "standard_input.hpp"
#include "support.hpp"
#include "update_stream.hpp"

namespace mangrove::io::test {
namespace {

using kinds = std::vector<update_kind>;
using numbers = std::vector<std::uint64_t>;
using times = std::vector<std::int64_t>;

constexpr update_kind ins = update_kind::insert;
constexpr update_kind del = update_kind::erase;

std::vector<stream_batch> read_all(std::string_view text, batching by, std::size_t chunk_bytes = 1 << 18) {
  const detail::input input("name", text);
  detail::update_stream stream(input, by, chunk_bytes);
  std::vector<stream_batch> batches;
  stream_batch batch;
  while (stream.next(batch)) batches.push_back(batch);
  EXPECT_TRUE(batch.updates.empty());
  EXPECT_FALSE(stream.next(batch)) << "the end stays the end";
  return batches;
}

TEST(update_reader, signed_lists) {
  const auto batches = read_all("# c\n+ 1 2\n- 18446744073709551615 0\n\n+v 5\n-v 6\r\n+ 3 3", batch_by_count{100});
  ASSERT_EQ(batches.size(), 1u);
  const update_batch& updates = batches[0].updates;
  EXPECT_EQ(updates.kinds, (kinds{ins, del, update_kind::insert_vertex, update_kind::erase_vertex, ins}));
  EXPECT_EQ(updates.sources, (numbers{1, largest_id, 5, 6, 3}));
  EXPECT_EQ(updates.targets, (numbers{2, 0, 0, 0, 3}));
  EXPECT_TRUE(updates.weights.empty());
  EXPECT_TRUE(batches[0].times.empty());
  EXPECT_EQ(batches[0].updates_so_far, 5u);
}

TEST(update_reader, signed_lists_with_weights) {
  for (const std::size_t chunk_bytes : {1, 12, 1 << 18}) {
    const auto batches = read_all("- 1 2\n- 3 4\n+ 1 2 0.5\n- 1 2\n+ 7 8 2\n", batch_by_count{3}, chunk_bytes);
    ASSERT_EQ(batches.size(), 2u);
    EXPECT_EQ(batches[0].updates.weights, (std::vector<double>{0, 0, 0.5}));
    EXPECT_EQ(batches[1].updates.weights, (std::vector<double>{0, 2}));
  }
}

TEST(update_reader, batches_by_count) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "+ " + std::to_string(i) + " " + std::to_string(i + 1) + "\n";
  for (const std::size_t chunk_bytes : {1, 50, 1 << 18}) {
    for (const std::uint64_t count : {1, 7, 99, 100, 101}) {
      const auto batches = read_all(text, batch_by_count{count}, chunk_bytes);
      ASSERT_EQ(batches.size(), (100 + count - 1) / count);
      std::uint64_t seen = 0;
      for (const stream_batch& batch : batches) {
        EXPECT_EQ(batch.updates.size(), std::min<std::uint64_t>(count, 100 - seen));
        for (const std::uint64_t source : batch.updates.sources) EXPECT_EQ(source, seen++);
        EXPECT_EQ(batch.updates_so_far, seen);
        EXPECT_LE(batch.bytes_read, text.size());
        EXPECT_EQ(batch.bytes_total, text.size());
      }
      EXPECT_EQ(batches.back().bytes_read, text.size());
    }
  }
}

TEST(update_reader, timed_lists_by_count) {
  const auto batches = read_all("1 2 -5\n2 3 -5\n3 1 9223372036854775807\n", batch_by_count{2});
  ASSERT_EQ(batches.size(), 2u);
  EXPECT_EQ(batches[0].times, (times{-5, -5}));
  EXPECT_EQ(batches[0].newest_time, -5);
  EXPECT_EQ(batches[0].updates.kinds, (kinds{ins, ins}));
  EXPECT_EQ(batches[1].newest_time, std::numeric_limits<std::int64_t>::max());
  EXPECT_TRUE(batches[1].updates.weights.empty());
}

TEST(update_reader, timed_lists_by_time) {
  // intervals of 10 from 3: [3, 13) [13, 23) none [33, 43)
  const char* text = "1 2 3\n1 2 12\n1 2 13\n1 2 22\n1 2 33\n1 2 42\n";
  for (const std::size_t chunk_bytes : {1, 9, 1 << 18}) {
    const auto batches = read_all(text, batch_by_time{10}, chunk_bytes);
    ASSERT_EQ(batches.size(), 3u);
    EXPECT_EQ(batches[0].times, (times{3, 12}));
    EXPECT_EQ(batches[1].times, (times{13, 22}));
    EXPECT_EQ(batches[2].times, (times{33, 42}));
    EXPECT_EQ(batches[2].newest_time, 42);
  }
}

TEST(update_reader, times_that_span_all_of_64_bits) {
  const char* text = "1 2 -9223372036854775808\n1 2 -1\n1 2 0\n1 2 9223372036854775807\n";
  EXPECT_EQ(read_all(text, batch_by_time{largest_id}).size(), 2u);
  EXPECT_EQ(read_all(text, batch_by_time{std::uint64_t{1} << 63}).size(), 2u);
  EXPECT_EQ(read_all(text, batch_by_time{1}).size(), 4u);
}

TEST(update_reader, lists_without_updates) {
  for (const char* text : {"", "# nothing\n", "\n\n"}) {
    EXPECT_TRUE(read_all(text, batch_by_count{1}).empty());
    EXPECT_TRUE(read_all(text, batch_by_time{1}).empty());
  }
}

struct malformed {
  const char* text;
  std::uint64_t line;
  const char* part;
};

constexpr malformed malformed_lists[] = {
    {"1 2\n", 1, "a time, a signed 64-bit integer, as the third column of 'u v t', found the end of the line"},
    {"1 2 3.5\n", 1, "found '3.5'"},
    {"1 2 9223372036854775808\n", 1, "does not fit"},
    {"1 2 3\n1 2 3 4\n", 2, "the line to end after the time, found '4'"},
    {"1 2 3\n# c\n1 2 2\n", 3, "time 2 comes after time 3"},
    {"1 2 3\n+ 1 2\n", 2, "found '+'"},
    {"1 2 3\nx 2 3\n", 2, "found 'x'"},
    {"+ 1 2\n1 2 3\n", 2, "expected '+' or '-'"},
    {"+1 2\n", 1, "and a blank, found '+1'"},
    {"- 1\n", 1, "a vertex id, an unsigned 64-bit number, found the end of the line"},
    {"+ 1 2\n- 1 2 3\n", 2, "the line to end after the update, found '3'"},
    {"+v 1 2\n", 1, "found '2'"},
    {"+w 1\n", 1, "found '+w'"},
    {"+\n", 1, "found the end of the line"},
    {"+ 1 2\n- 1 2\n+ 1 2 3\n", 3, "no weight"},
    {"- 1 2\n+ 1 2 1\n- 1 2\n\n+ 1 2\n", 5, "a weight, as the inserts before it have one"},
    {"+ 1 2 1e999\n", 1, "too large"},
    {"+ 1 2 1 2\n", 1, "found '2'"},
    {"- 1 18446744073709551616\n", 1, "does not fit"},
};

TEST(update_reader, malformed_lists_name_the_line) {
  for (const malformed& list : malformed_lists) {
    for (const std::size_t chunk_bytes : {1, 8, 1 << 18}) {
      SCOPED_TRACE(std::string(list.text) + "\nchunks of " + std::to_string(chunk_bytes));
      expect_io_error([&] { read_all(list.text, batch_by_count{1}, chunk_bytes); }, list.line, list.part);
      expect_io_error([&] { read_all(list.text, batch_by_count{1000}, chunk_bytes); }, list.line, list.part);
    }
  }
}

TEST(update_reader, after_an_error_it_is_at_its_end) {
  const detail::input input("name", "+ 1 2\nx\n");
  detail::update_stream stream(input, batch_by_count{10});
  stream_batch batch;
  EXPECT_THROW(stream.next(batch), io_error);
  EXPECT_TRUE(batch.updates.empty());
  EXPECT_FALSE(stream.next(batch));
}

TEST(update_reader, misuse) {
  const temporary_folder folder;
  const std::string list = folder.file("s", "+ 1 2\n");
  EXPECT_THROW(update_reader(list, batch_by_count{0}), usage_error);
  EXPECT_THROW(update_reader(list, batch_by_time{0}), usage_error);
  EXPECT_THROW(update_reader(list, batch_by_time{5}), usage_error);
  expect_io_error([&] { update_reader(folder.file("none"), batch_by_count{1}); }, 0, "cannot be opened");
}

TEST(update_reader, written_lists_make_the_round_trip) {
  const temporary_folder folder;
  std::mt19937_64 random(42);
  for (const weighting weights : {weighting::none, weighting::doubles}) {
    update_batch updates;
    for (int i = 0; i < 150000; ++i) {
      const auto kind = static_cast<update_kind>(random() % 4);
      const bool on_edge = kind == ins || kind == del;
      updates.push_back(kind, random(), on_edge ? random() : 0);
      if (weights == weighting::doubles) updates.weights.push_back(kind == ins ? random_double(random) : 0);
    }
    for (const char* name : {"u.txt", "u.gz"}) {
      write_updates(folder.file(name), updates);
      update_reader reader(folder.file(name), batch_by_count{1000000});
      EXPECT_EQ(reader.kind(), stream_kind::signed_updates);
      stream_batch batch;
      ASSERT_TRUE(reader.next(batch));
      EXPECT_EQ(batch.updates.kinds, updates.kinds);
      EXPECT_EQ(batch.updates.sources, updates.sources);
      EXPECT_EQ(batch.updates.targets, updates.targets);
      EXPECT_EQ(batch.updates.weights, updates.weights);
      EXPECT_EQ(batch.bytes_total, std::filesystem::file_size(folder.file(name)));
      EXPECT_EQ(batch.bytes_read, batch.bytes_total);
      EXPECT_FALSE(reader.next(batch));
    }
  }
}

TEST(update_reader, writing_refuses_broken_batches) {
  const temporary_folder folder;
  update_batch updates;
  updates.push_back(ins, 1, 2);
  updates.weights = {std::numeric_limits<double>::infinity()};
  EXPECT_THROW(write_updates(folder.file("u"), updates), usage_error);
  updates.weights = {1, 2};
  EXPECT_THROW(write_updates(folder.file("u"), updates), usage_error);
  expect_io_error(
      [] {
        write_updates("/dev/full", [] {
          update_batch b;
          b.push_back(ins, 1, 2);
          return b;
        }());
      },
      0, "No space left");
  EXPECT_EQ(folder.files(), 0u);
}

TEST(update_reader, a_pipe_hands_on_what_a_batch_needs) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const std::string_view text = "1 2 0\n2 3 1\n3 4 2\n";
  ASSERT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  const standard_input redirected(ends[0]);
  update_reader reader("-", batch_by_count{3});
  stream_batch batch;
  ASSERT_TRUE(reader.next(batch)) << "though the pipe is still open";
  EXPECT_EQ(batch.updates.size(), 3u);
  EXPECT_EQ(batch.bytes_total, 0u);
  ::close(ends[1]);
  EXPECT_FALSE(reader.next(batch));
}

}  // namespace
}  // namespace mangrove::io::test
