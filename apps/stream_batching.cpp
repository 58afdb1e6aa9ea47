#include "apps/stream_batching.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <system_error>

namespace mangrove::app {

namespace {

constexpr std::uint64_t least_batch = std::uint64_t{1} << 10;
constexpr std::uint64_t largest_batch = std::uint64_t{1} << 20;
constexpr std::uint64_t batch_of_pipes = std::uint64_t{1} << 16;

// What an update takes in a typical file.
constexpr std::uint64_t bytes_per_update = 14;
constexpr std::uint64_t compressed_bytes_per_update = 4;
constexpr std::uint64_t batches_per_file = 100;

std::uint64_t suitable_batch(const std::string& path) {
  std::error_code failure;
  if (path == "-" || !std::filesystem::is_regular_file(path, failure)) return batch_of_pipes;
  const std::uint64_t size = std::filesystem::file_size(path, failure);
  if (failure) return batch_of_pipes;
  const bool compressed = std::filesystem::path(path).extension() == ".gz";
  const std::uint64_t updates = size / (compressed ? compressed_bytes_per_update : bytes_per_update);
  return std::clamp(std::bit_floor(updates / batches_per_file), least_batch, largest_batch);
}

}  // namespace

void add_batching(command_line& line) {
  line.add<std::uint64_t>(
      "batch", "N",
      "N updates a batch; without, about a hundredth of the file, a power of two from 2^10 to 2^20 (2^16 from a pipe)");
  line.add<std::uint64_t>("batch-time", "D", "a batch is the updates of D units of the file's time (timed lists)");
}

io::batching read_batching(const command_line& line, const std::string& path) {
  if (line.has("batch") && line.has("batch-time")) line.fail("--batch and --batch-time exclude each other");
  for (const char* option : {"batch", "batch-time"}) {
    if (line.has(option) && line.get<std::uint64_t>(option) == 0)
      line.fail(fmt::format("--{} takes 1 or more", option));
  }
  if (line.has("batch-time")) return io::batch_by_time{line.get<std::uint64_t>("batch-time")};
  return io::batch_by_count{line.has("batch") ? line.get<std::uint64_t>("batch") : suitable_batch(path)};
}

}  // namespace mangrove::app
