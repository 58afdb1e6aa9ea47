#include "update_parser.hpp"

#include "line_cursor.hpp"

namespace mangrove::io::detail {

namespace {

constexpr const char* vertex_expected = "a vertex id, an unsigned 64-bit number";
constexpr const char* end_expected = "the line to end after the update";

update_kind take_kind(line_cursor& cursor) {
  const std::string_view sign = cursor.word();
  if (sign == "+") return update_kind::insert;
  if (sign == "-") return update_kind::erase;
  if (sign == "+v") return update_kind::insert_vertex;
  if (sign == "-v") return update_kind::erase_vertex;
  cursor.fail("expected '+' or '-' (for vertices '+v' or '-v') and a blank, found " + quoted(sign));
}

/// The weight of an insert, 0 in a list without weights.
double take_insert_weight(line_cursor& cursor, update_columns& out) {
  const bool present = !cursor.at_line_end();
  const insert_weights found = present ? insert_weights::present : insert_weights::absent;
  if (out.weights == insert_weights::unknown) {
    out.weights = found;
    out.first_insert_line = cursor.line();
    if (present) out.updates.weights.resize(out.updates.size(), 0.0);  // of the erases before it
  } else if (out.weights != found) {
    cursor.fail_at_word(present ? "the line to end: the inserts before it have no weight"
                                : "a weight, as the inserts before it have one");
  }
  return present ? cursor.real_number("a finite number as the edge's weight") : 0.0;
}

void parse_signed_line(line_cursor& cursor, update_columns& out) {
  const update_kind kind = take_kind(cursor);
  const std::uint64_t source = cursor.unsigned_number(vertex_expected);
  const bool on_edge = kind == update_kind::insert || kind == update_kind::erase;
  const std::uint64_t target = on_edge ? cursor.unsigned_number(vertex_expected) : 0;
  const double weight = kind == update_kind::insert ? take_insert_weight(cursor, out) : 0.0;
  cursor.end_line(end_expected);
  out.updates.push_back(kind, source, target);
  if (out.weights == insert_weights::present) out.updates.weights.push_back(weight);
}

void parse_timed_line(line_cursor& cursor, update_columns& out) {
  const std::uint64_t source = cursor.unsigned_number(vertex_expected);
  const std::uint64_t target = cursor.unsigned_number(vertex_expected);
  const std::uint64_t line = cursor.line();
  const std::int64_t time = cursor.signed_number("a time, a signed 64-bit integer, as the third column of 'u v t'");
  if (out.times.empty()) out.first_line = line;
  if (!out.times.empty() && time < out.times.back()) {
    cursor.fail("time " + std::to_string(time) + " comes after time " + std::to_string(out.times.back()) +
                ": a timed list must be sorted by its third column");
  }
  cursor.end_line("the line to end after the time");
  out.updates.push_back(update_kind::insert, source, target);
  out.times.push_back(time);
}

}  // namespace

std::uint64_t parse_updates(std::string_view text, stream_kind kind, update_columns& out) {
  line_cursor cursor(text, comment_marks::percent_and_hash);
  while (cursor.next_data_line()) {
    if (kind == stream_kind::signed_updates) {
      parse_signed_line(cursor, out);
    } else {
      parse_timed_line(cursor, out);
    }
  }
  return cursor.newlines();
}

stream_kind kind_of_line(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\r");
  const bool sign = first != std::string_view::npos && (line[first] == '+' || line[first] == '-');
  return sign ? stream_kind::signed_updates : stream_kind::timed_edges;
}

}  // namespace mangrove::io::detail
