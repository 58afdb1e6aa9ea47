#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "apps/command_line.hpp"

namespace mangrove::app {

/// Writes to standard output. @throws io_error it is closed, or full
void print(std::string_view text);

/// Writes an object on a line of its own and hands it to the reader at once. @throws io_error as `print`
void print_json(const nlohmann::ordered_json& object);

/// Makes sure that what was printed has arrived. @throws io_error as `print`
void finish_printing();

/// Tells the user something on standard error, unless that is not wanted.
void say(const common_options& options, std::string_view message);

/// Rows of cells, printed in columns: the first to the left, all others to the right.
class text_table {
 public:
  explicit text_table(std::vector<std::string> header) : rows_{std::move(header)} {}

  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// Names and values, one pair a line.
class fact_list {
 public:
  void add(std::string name, std::string value) { facts_.emplace_back(std::move(name), std::move(value)); }
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::pair<std::string, std::string>> facts_;
};

}  // namespace mangrove::app
