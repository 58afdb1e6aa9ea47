#pragma once

#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "line_cursor.hpp"
#include "mangrove/core/error.hpp"
#include "text_source.hpp"

namespace mangrove::io::detail {

/// A chunk and the columns parsed from it.
template <typename Columns>
struct parsed_chunk {
  text_chunk chunk;
  Columns columns;
  std::uint64_t newlines = 0;
  std::optional<line_error> failure;
};

/// Runs `parse(text, columns)`, which returns the number of newlines it went over, and keeps its `line_error`.
template <typename Columns, typename Parse>
void parse_into(parsed_chunk<Columns>& parsed, const Parse& parse) {
  try {
    parsed.newlines = parse(parsed.chunk.text, parsed.columns);
  } catch (line_error& failure) {
    parsed.failure = std::move(failure);
  }
}

/// Throws what is wrong with a chunk, if anything, when `lines_before` lines precede it.
template <typename Columns>
void check(const parsed_chunk<Columns>& parsed, const std::string& name, std::uint64_t lines_before) {
  if (parsed.failure) throw io_error(name, lines_before + parsed.failure->line, parsed.failure->message);
  if (parsed.chunk.line_too_long) throw_line_too_long(name, lines_before + parsed.newlines + 1);
}

/// Parses the rest of a text: `parse(text, columns)` in parallel, `consume(parsed_chunk, lines_before)` in the order of
/// the text, which is to call `check`. Returns the number of lines of the whole text, an unfinished last one included.
///
/// The first malformed line of the text is the one that is reported.
template <typename Columns, typename Parse, typename Consume>
std::uint64_t parse_chunks(text_source& source, const Parse& parse, const Consume& consume) {
  using parsed = parsed_chunk<Columns>;
  std::uint64_t lines = source.lines();
  bool unfinished_line = false;
  // Chunks leave in the order in which they came, so that a slot is free again when its turn comes. TBB would not
  // destroy chunks under way, did it own them, when a stage throws.
  std::vector<parsed> slots(3 * static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()));
  std::size_t taken = 0;
  const auto take = [&](tbb::flow_control& control) -> parsed* {
    parsed& slot = slots[taken++ % slots.size()];
    slot = {};
    if (!source.next(slot.chunk)) control.stop();
    return &slot;
  };
  const auto parse_slot = [&](parsed* slot) {
    parse_into(*slot, parse);
    return slot;
  };
  const auto put = [&](parsed* slot) {
    consume(*slot, lines);
    lines += slot->newlines;
    unfinished_line = slot->chunk.text.back() != '\n';
  };
  tbb::parallel_pipeline(slots.size(), tbb::make_filter<void, parsed*>(tbb::filter_mode::serial_in_order, take) &
                                           tbb::make_filter<parsed*, parsed*>(tbb::filter_mode::parallel, parse_slot) &
                                           tbb::make_filter<parsed*, void>(tbb::filter_mode::serial_in_order, put));
  return lines + (unfinished_line ? 1 : 0);
}

}  // namespace mangrove::io::detail
