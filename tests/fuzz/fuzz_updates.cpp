#include "fuzz_support.hpp"
#include "mangrove/io/sliding_window.hpp"
#include "update_stream.hpp"

namespace {

using namespace mangrove::io;

struct outcome {
  stream_batch all;
  std::uint64_t failed_line = 0;
};

void add(stream_batch& all, const stream_batch& batch, batching by) {
  const mangrove::update_batch& updates = batch.updates;
  fuzz::require(!updates.empty());
  fuzz::require(updates.sources.size() == updates.size() && updates.targets.size() == updates.size());
  fuzz::require(updates.weights.empty() || updates.weights.size() == updates.size());
  fuzz::require(batch.times.empty() || batch.times.size() == updates.size());
  if (std::holds_alternative<batch_by_count>(by)) fuzz::require(updates.size() <= std::get<batch_by_count>(by).updates);
  all.updates.kinds.insert(all.updates.kinds.end(), updates.kinds.begin(), updates.kinds.end());
  all.updates.sources.insert(all.updates.sources.end(), updates.sources.begin(), updates.sources.end());
  all.updates.targets.insert(all.updates.targets.end(), updates.targets.begin(), updates.targets.end());
  all.times.insert(all.times.end(), batch.times.begin(), batch.times.end());
  fuzz::require(batch.updates_so_far == all.updates.size());
}

outcome read(std::string_view bytes, batching by, std::size_t chunk_bytes) {
  outcome result;
  try {
    const detail::input input("fuzz", bytes);
    detail::update_stream stream(input, by, chunk_bytes);
    sliding_window window(10);
    stream_batch batch;
    while (stream.next(batch)) {
      add(result.all, batch, by);
      if (stream.kind() == stream_kind::timed_edges) window.apply(batch);
    }
  } catch (const mangrove::io_error& error) {
    result.failed_line = error.line() + 1;
  } catch (const mangrove::usage_error&) {
    result.failed_line = 0;  // batches by time of a signed list
  }
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const outcome whole = read(bytes, batch_by_count{1000000}, detail::update_stream::default_chunk_bytes);
  const outcome pieces = read(bytes, batch_by_count{3}, 5);
  fuzz::require(whole.failed_line == pieces.failed_line);
  if (whole.failed_line == 0) {
    fuzz::require(whole.all.updates.kinds == pieces.all.updates.kinds);
    fuzz::require(whole.all.updates.sources == pieces.all.updates.sources);
    fuzz::require(whole.all.updates.targets == pieces.all.updates.targets);
    fuzz::require(whole.all.times == pieces.all.times);
  }
  read(bytes, batch_by_time{7}, 64);
  return 0;
}
