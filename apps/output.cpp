#include "apps/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <system_error>

#include "mangrove/core/error.hpp"

namespace mangrove::app {

namespace {

[[noreturn]] void fail_printing() {
  const int reason = errno;
  // What is still in the buffer would fail again, silently, when the program ends.
  std::clearerr(stdout);
  throw io_error("standard output", 0, "cannot be written: " + std::generic_category().message(reason));
}

}  // namespace

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) fail_printing();
}

void print_json(const nlohmann::ordered_json& object) {
  print(object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  finish_printing();
}

void finish_printing() {
  if (std::fflush(stdout) != 0) fail_printing();
}

void say(const common_options& options, std::string_view message) {
  if (options.messages == verbosity::normal) fmt::print(stderr, "{}\n", message);
}

std::string text_table::text() const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows_) {
    text += fmt::format("{:<{}}", row[0], widths[0]);
    for (std::size_t i = 1; i < row.size(); ++i) text += fmt::format("  {:>{}}", row[i], widths[i]);
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  return text;
}

std::string fact_list::text() const {
  std::size_t width = 0;
  for (const auto& [name, value] : facts_) width = std::max(width, name.size());
  std::string text;
  for (const auto& [name, value] : facts_) text += fmt::format("{:<{}}  {}\n", name, width, value);
  return text;
}

}  // namespace mangrove::app
