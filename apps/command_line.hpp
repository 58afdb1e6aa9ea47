#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace mangrove::app {

/// The command line is not what a subcommand takes; ends the program with exit code 2.
class bad_usage : public std::runtime_error {
 public:
  /// @param command the subcommand whose help the user is sent to, empty for the program's
  bad_usage(std::string command, const std::string& message)
      : std::runtime_error(message), command_(std::move(command)) {}

  [[nodiscard]] const std::string& command() const noexcept { return command_; }

 private:
  std::string command_;
};

enum class backend_choice { automatic, cuda, cpu };
enum class output_form { text, json };
enum class verbosity { normal, quiet };

/// What every subcommand accepts.
struct common_options {
  backend_choice backend = backend_choice::automatic;
  int threads = 0;  ///< 0: all
  output_form form = output_form::text;
  verbosity messages = verbosity::normal;
};

/// One subcommand's options, help and arguments.
class command_line {
 public:
  /// @param command the subcommand's name
  /// @param arguments its positional arguments as help shows them
  /// @param summary what it does, a paragraph
  command_line(std::string command, std::string arguments, const std::string& summary);
  ~command_line();
  command_line(command_line&&) noexcept;
  command_line& operator=(command_line&&) noexcept;

  /// Adds an option that is there or not. To be called before `parse`, as all that add something.
  /// @param option "name", or "n,name" with a short form
  void add_flag(const std::string& option, const std::string& description);

  /// Adds an option with a value of type int, std::uint64_t, double or std::string.
  /// @param argument the value's name in the help
  /// @param otherwise the value when the option is not given; without, only `has` may be asked
  template <class T>
  void add(const std::string& option, const std::string& argument, const std::string& description,
           const std::optional<std::string>& otherwise = std::nullopt);

  /// Shown at the end of the help, one a line.
  void add_examples(std::vector<std::string> examples);

  /// Reads the arguments; false when help was asked for and has been printed. @throws bad_usage
  [[nodiscard]] bool parse(int argc, const char* const* argv);

  [[nodiscard]] const common_options& common() const noexcept { return common_; }

  /// The positional arguments, at least `least` and at most `most`. @throws bad_usage
  const std::vector<std::string>& positional(std::size_t least, std::size_t most) const;

  [[nodiscard]] bool has(const std::string& option) const;

  /// An option's value; T as in `add`.
  template <class T>
  [[nodiscard]] T get(const std::string& option) const;

  /// The position of the option's value in `choices`, as an `Enum` that lists them in the same order. @throws bad_usage
  template <class Enum>
  [[nodiscard]] Enum choice(const std::string& option, const std::vector<std::string>& choices) const {
    return static_cast<Enum>(index_of_choice(option, choices));
  }

  /// @throws bad_usage
  [[noreturn]] void fail(const std::string& message) const { throw bad_usage(command_, message); }

 private:
  struct parser;

  [[nodiscard]] std::string help() const;
  [[nodiscard]] std::size_t index_of_choice(const std::string& option, const std::vector<std::string>& choices) const;
  void read_common();

  std::string command_;
  std::string arguments_;
  std::unique_ptr<parser> parser_;
  common_options common_;
  std::vector<std::string> positional_;
  std::vector<std::string> examples_;
};

}  // namespace mangrove::app
