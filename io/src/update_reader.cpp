#include "mangrove/io/update_reader.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <new>
#include <utility>

#include "update_stream.hpp"

namespace mangrove::io {

namespace detail {

namespace {

/// Time since `start`, which is not later; fits whatever the two are.
std::uint64_t elapsed(std::int64_t start, std::int64_t time) {
  return static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(start);
}

template <typename Value>
void append_part(std::vector<Value>& out, const std::vector<Value>& column, std::size_t first, std::size_t count) {
  const auto begin = column.begin() + static_cast<std::ptrdiff_t>(first);
  out.insert(out.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
}

}  // namespace

update_stream::update_stream(const input& input, batching by, std::size_t chunk_bytes)
    : source_(input, chunk_bytes), by_(by) {
  const bool empty_batches = std::holds_alternative<batch_by_count>(by) ? std::get<batch_by_count>(by).updates == 0
                                                                        : std::get<batch_by_time>(by).units == 0;
  if (empty_batches) throw usage_error("update_reader: the size of a batch must be at least 1");
  read_first_line();
  lines_ = source_.lines();
}

void update_stream::read_first_line() {
  std::string_view line;
  while (source_.next_line(line)) {
    line_cursor cursor(line, comment_marks::percent_and_hash);
    if (!cursor.next_data_line()) continue;
    kind_ = kind_of_line(line);
    parsed_updates first;
    first.chunk.text = line;
    parse_into(first, [&](std::string_view text, update_columns& out) { return parse_updates(text, kind_, out); });
    check(first, source_.name(), source_.lines() - 1);
    source_.unread_line();
    if (kind_ == stream_kind::signed_updates && std::holds_alternative<batch_by_time>(by_)) {
      throw usage_error(source_.name() + " is a signed list, which has no times: batches by time need a list 'u v t'");
    }
    return;
  }
  ended_ = true;
}

bool update_stream::next(stream_batch& batch) {
  batch.clear();
  if (ended_) return false;
  try {
    fill(batch);
  } catch (const std::bad_alloc&) {
    ended_ = true;
    batch = {};
    throw memory_error(source_.name() + ": a batch needs more memory than there is; make batches smaller");
  } catch (...) {
    ended_ = true;
    batch.clear();
    throw;
  }
  ended_ = batch.updates.empty();
  if (ended_) return false;
  updates_ += batch.updates.size();
  batch.updates_so_far = updates_;
  batch.bytes_read = source_.bytes_read();
  batch.bytes_total = source_.bytes_total();
  if (!batch.times.empty()) batch.newest_time = batch.times.back();
  return true;
}

void update_stream::fill(stream_batch& batch) {
  for (;;) {
    const bool full_by_count =
        std::holds_alternative<batch_by_count>(by_) && batch.updates.size() == std::get<batch_by_count>(by_).updates;
    if (full_by_count || !refill()) return;
    const std::size_t count = room(batch);
    if (count == 0) return;
    take(batch, count);
  }
}

/// Makes `current_` a chunk with updates that have not been taken; false at the end of the list.
bool update_stream::refill() {
  while (taken_ == current_.columns.updates.size()) {
    if (chunks_taken_ == parsed_.size() && !parse_more()) return false;
    current_ = std::move(parsed_[chunks_taken_++]);
    taken_ = 0;
    admit(current_);
  }
  return true;
}

bool update_stream::parse_more() {
  parsed_.clear();
  chunks_taken_ = 0;
  const auto most = 2 * static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
  while (parsed_.size() < most) {
    parsed_updates parsed;
    if (!source_.next(parsed.chunk)) break;
    parsed_.push_back(std::move(parsed));
    if (parsed_.back().chunk.starved) break;
  }
  tbb::parallel_for(std::size_t{0}, parsed_.size(), [&](std::size_t i) {
    parse_into(parsed_[i], [&](std::string_view text, update_columns& out) { return parse_updates(text, kind_, out); });
    parsed_[i].chunk.storage.reset();
  });
  return !parsed_.empty();
}

/// Checks a chunk against those before it.
void update_stream::admit(parsed_updates& parsed) {
  const update_columns& columns = parsed.columns;
  if (weights_ == insert_weights::unknown) weights_ = columns.weights;
  if (columns.weights != insert_weights::unknown && columns.weights != weights_) {
    throw io_error(source_.name(), lines_ + columns.first_insert_line,
                   weights_ == insert_weights::present ? "expected a weight, as the inserts before it have one"
                                                       : "expected no weight, as the inserts before it have none");
  }
  if (!columns.times.empty()) {
    const std::int64_t first = columns.times.front();
    if (last_time_ && first < *last_time_) {
      throw io_error(source_.name(), lines_ + columns.first_line,
                     "time " + std::to_string(first) + " comes after time " + std::to_string(*last_time_) +
                         ": a timed list must be sorted by its third column");
    }
    if (!first_time_) first_time_ = first;
    last_time_ = columns.times.back();
  }
  check(parsed, source_.name(), lines_);
  lines_ += parsed.newlines;
}

/// How many of the current chunk's updates belong to the batch.
std::size_t update_stream::room(const stream_batch& batch) {
  const std::size_t available = current_.columns.updates.size() - taken_;
  if (std::holds_alternative<batch_by_count>(by_)) {
    const std::uint64_t wanted = std::get<batch_by_count>(by_).updates - batch.updates.size();
    return static_cast<std::size_t>(std::min<std::uint64_t>(wanted, available));
  }
  const std::vector<std::int64_t>& times = current_.columns.times;
  const std::uint64_t units = std::get<batch_by_time>(by_).units;
  const std::int64_t begin = batch.times.empty() ? times[taken_] : batch.times.front();
  const std::uint64_t interval = elapsed(*first_time_, begin) / units;
  const auto from = times.begin() + static_cast<std::ptrdiff_t>(taken_);
  const auto end = std::partition_point(
      from, times.end(), [&](std::int64_t time) { return elapsed(*first_time_, time) / units == interval; });
  return static_cast<std::size_t>(end - from);
}

void update_stream::take(stream_batch& batch, std::size_t count) {
  const update_batch& from = current_.columns.updates;
  update_batch& to = batch.updates;
  const std::size_t before = to.size();
  append_part(to.kinds, from.kinds, taken_, count);
  append_part(to.sources, from.sources, taken_, count);
  append_part(to.targets, from.targets, taken_, count);
  if (weights_ == insert_weights::present) {
    to.weights.resize(before, 0.0);
    if (!from.weights.empty()) append_part(to.weights, from.weights, taken_, count);
    to.weights.resize(before + count, 0.0);
  }
  if (kind_ == stream_kind::timed_edges) append_part(batch.times, current_.columns.times, taken_, count);
  taken_ += count;
}

}  // namespace detail

class update_reader::implementation {
 public:
  implementation(const std::string& path, batching by) : input_(path), stream_(input_, by) {}
  detail::update_stream& stream() noexcept { return stream_; }

 private:
  detail::input input_;
  detail::update_stream stream_;
};

update_reader::update_reader(const std::string& path, batching by)
    : implementation_(std::make_unique<implementation>(path, by)) {}
update_reader::~update_reader() = default;
update_reader::update_reader(update_reader&&) noexcept = default;
update_reader& update_reader::operator=(update_reader&&) noexcept = default;

stream_kind update_reader::kind() const noexcept {
  return implementation_->stream().kind();
}

bool update_reader::next(stream_batch& batch) {
  return implementation_->stream().next(batch);
}

}  // namespace mangrove::io
