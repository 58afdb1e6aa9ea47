#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace mangrove::app::test {

/// What a run of the program came to.
struct outcome {
  int exit_code = -1;  ///< negative: the signal that ended it
  std::string out;
  std::string err;
};

/// What a run of the program meets.
struct surroundings {
  std::string input;  ///< its standard input
  enum class output { captured, closed_pipe, full } standard_output = output::captured;
  std::size_t largest_file = 0;  ///< bytes, 0 for no limit
};

/// Runs the program with the arguments and waits for it.
outcome run(const std::vector<std::string>& arguments, const surroundings& around = {});

/// The lines of a text, without their ends.
std::vector<std::string> lines_of(const std::string& text);

/// A folder that goes with its object.
class temporary_folder {
 public:
  temporary_folder();
  ~temporary_folder();
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  /// A path in the folder, where `content` is written if there is any.
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string file(const std::string& name, std::string_view content) const;

  /// The names of the files in it, ascending.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  std::filesystem::path path_;
};

std::string content_of(const std::string& path);

}  // namespace mangrove::app::test
