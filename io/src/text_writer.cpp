#include "text_writer.hpp"

#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>
#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <vector>

#include "mangrove/core/error.hpp"

namespace mangrove::io::detail {

namespace {

constexpr std::size_t lines_per_part = std::size_t{1} << 16;

template <typename Number>
void append_any(std::string& text, Number number) {
  char buffer[32];
  const auto [end, status] = std::to_chars(buffer, buffer + sizeof buffer, number);
  static_cast<void>(status);  // 20 digits, and 24 characters of a double, fit
  text.append(buffer, end);
}

/// One gzip member; members may follow one another in a file. Of graphs, slower levels save about 6 % more.
std::string compressed(std::string_view text) {
  constexpr int gzip_window = 15 + 16;
  constexpr int default_memory = 8;
  z_stream state{};
  if (deflateInit2(&state, Z_BEST_SPEED, Z_DEFLATED, gzip_window, default_memory, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw memory_error("no memory for compression");
  }
  const std::unique_ptr<z_stream, int (*)(z_stream*)> owner(&state, deflateEnd);
  std::string out(deflateBound(&state, static_cast<uLong>(text.size())), '\0');
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  state.avail_in = static_cast<uInt>(text.size());
  state.next_out = reinterpret_cast<Bytef*>(out.data());
  state.avail_out = static_cast<uInt>(out.size());
  deflate(&state, Z_FINISH);  // the bound leaves room for all of it
  out.resize(out.size() - state.avail_out);
  return out;
}

}  // namespace

void append_number(std::string& text, std::uint64_t number) {
  append_any(text, number);
}

void append_number(std::string& text, double number) {
  if (!std::isfinite(number)) throw usage_error("a weight is not finite: text formats cannot hold it");
  append_any(text, number);
}

void write_lines(output_file& file, std::string_view begin, std::size_t lines, compression compress,
                 const std::function<void(std::string&, std::size_t, std::size_t)>& format) {
  const std::size_t parts = std::max<std::size_t>(1, (lines + lines_per_part - 1) / lines_per_part);
  // Parts are written in order, so that a text is free again when its turn comes.
  std::vector<std::string> texts(3 * static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()));
  std::size_t next_part = 0;
  const auto take = [&](tbb::flow_control& control) -> std::size_t {
    if (next_part == parts) control.stop();
    return next_part++;
  };
  const auto make = [&](std::size_t part) {
    std::string& text = texts[part % texts.size()];
    text.assign(part == 0 ? begin : std::string_view());
    format(text, part * lines_per_part, std::min(lines, (part + 1) * lines_per_part));
    if (compress == compression::gzip) text = compressed(text);
    return &text;
  };
  const auto put = [&](const std::string* text) { file.write(*text); };
  tbb::parallel_pipeline(texts.size(),
                         tbb::make_filter<void, std::size_t>(tbb::filter_mode::serial_in_order, take) &
                             tbb::make_filter<std::size_t, std::string*>(tbb::filter_mode::parallel, make) &
                             tbb::make_filter<std::string*, void>(tbb::filter_mode::serial_in_order, put));
}

}  // namespace mangrove::io::detail
