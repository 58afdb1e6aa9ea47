#include "program.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace mangrove::app::test {

namespace {

/// In the child: standard output is a pipe that nobody reads.
void close_standard_output_pipe() {
  int ends[2];
  if (::pipe(ends) != 0) ::_exit(126);
  ::close(ends[0]);
  ::dup2(ends[1], STDOUT_FILENO);
}

void open_as(int descriptor, const std::string& path, int flags) {
  const int file = ::open(path.c_str(), flags, 0600);
  if (file < 0 || ::dup2(file, descriptor) < 0) ::_exit(126);
}

[[noreturn]] void become_program(const std::vector<std::string>& arguments, const surroundings& around,
                                 const temporary_folder& folder) {
  open_as(STDIN_FILENO, folder.file("in"), O_RDONLY);
  open_as(STDERR_FILENO, folder.file("err"), O_WRONLY | O_CREAT);
  using output = surroundings::output;
  if (around.standard_output == output::closed_pipe) {
    close_standard_output_pipe();
  } else if (around.standard_output == output::full) {
    open_as(STDOUT_FILENO, "/dev/full", O_WRONLY);
  } else {
    open_as(STDOUT_FILENO, folder.file("out"), O_WRONLY | O_CREAT);
  }
  if (around.largest_file != 0) {
    const rlimit limit{around.largest_file, around.largest_file};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  const char* const elsewhere = std::getenv("MANGROVE_PROGRAM");  // when the tests were taken to another machine
  std::vector<char*> words = {const_cast<char*>(elsewhere != nullptr ? elsewhere : MANGROVE_PROGRAM)};
  for (const auto& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execv(words[0], words.data());
  ::_exit(127);
}

}  // namespace

outcome run(const std::vector<std::string>& arguments, const surroundings& around) {
  const temporary_folder folder;
  folder.file("in", around.input);
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) become_program(arguments, around, folder);
  int status = 0;
  ::waitpid(child, &status, 0);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return {code, content_of(folder.file("out")), content_of(folder.file("err"))};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

temporary_folder::temporary_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "mangrove-apps-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

temporary_folder::~temporary_folder() {
  std::filesystem::remove_all(path_);
}

std::string temporary_folder::file(const std::string& name, std::string_view content) const {
  std::ofstream(file(name), std::ios::binary) << content;
  return file(name);
}

std::vector<std::string> temporary_folder::names() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

std::string content_of(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

}  // namespace mangrove::app::test
