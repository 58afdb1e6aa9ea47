#include "apps/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cxxopts.hpp>

#include "apps/output.hpp"

namespace mangrove::app {

namespace {

constexpr std::size_t help_width = 100;
constexpr int most_threads = 4096;

constexpr const char* common_group = "Common";
constexpr const char* hidden_group = "hidden";

}  // namespace

struct command_line::parser {
  cxxopts::Options options;
  cxxopts::ParseResult result;
};

command_line::command_line(std::string command, std::string arguments, const std::string& summary)
    : command_(std::move(command)), arguments_(std::move(arguments)) {
  cxxopts::Options options(fmt::format("mangrove {}", command_), summary);
  options.set_width(help_width).custom_help("[OPTION...]").positional_help(arguments_);
  const auto text = cxxopts::value<std::string>()->default_value("auto");
  const auto number = cxxopts::value<int>()->default_value("0");
  const auto words = cxxopts::value<std::vector<std::string>>();
  const std::vector<cxxopts::Option> common = {
      {"backend", "where to work: auto (CUDA if there is a GPU), cuda or cpu", text, "NAME"},
      {"threads", "threads of the CPU, 0 for all", number, "N"},
      {"json", "print JSON"},
      {"q,quiet", "no progress, no messages but errors"},
      {"h,help", "print this help"}};
  for (const auto& option : common) options.add_option(common_group, option);
  options.add_option(hidden_group, {"arguments", "", words});
  options.parse_positional("arguments");
  parser_ = std::make_unique<parser>(parser{std::move(options), {}});
}

command_line::~command_line() = default;
command_line::command_line(command_line&&) noexcept = default;
command_line& command_line::operator=(command_line&&) noexcept = default;

void command_line::add_flag(const std::string& option, const std::string& description) {
  parser_->options.add_option("", {option, description});
}

template <class T>
void command_line::add(const std::string& option, const std::string& argument, const std::string& description,
                       const std::optional<std::string>& otherwise) {
  auto value = cxxopts::value<T>();
  if (otherwise) value->default_value(*otherwise);
  parser_->options.add_option("", {option, description, value, argument});
}

void command_line::add_examples(std::vector<std::string> examples) {
  examples_ = std::move(examples);
}

bool command_line::has(const std::string& option) const {
  return parser_->result.count(option) != 0;
}

template <class T>
T command_line::get(const std::string& option) const {
  return parser_->result[option].as<T>();
}

bool command_line::parse(int argc, const char* const* argv) {
  try {
    parser_->result = parser_->options.parse(argc, argv);
  } catch (const cxxopts::exceptions::exception& problem) {
    std::string message = problem.what();
    for (const std::string quote : {"\u2018", "\u2019"}) {
      for (std::size_t at; (at = message.find(quote)) != std::string::npos;) message.replace(at, quote.size(), "'");
    }
    fail(message);
  }
  if (has("help")) {
    print(help());
    return false;
  }
  if (has("arguments")) positional_ = parser_->result["arguments"].as<std::vector<std::string>>();
  read_common();
  return true;
}

void command_line::read_common() {
  common_.backend = choice<backend_choice>("backend", {"auto", "cuda", "cpu"});
  common_.threads = get<int>("threads");
  if (common_.threads < 0 || common_.threads > most_threads) {
    fail(fmt::format("--threads takes 0 to {}, not {}", most_threads, common_.threads));
  }
  if (has("json")) common_.form = output_form::json;
  if (has("quiet")) common_.messages = verbosity::quiet;
}

const std::vector<std::string>& command_line::positional(std::size_t least, std::size_t most) const {
  if (positional_.size() < least) fail(fmt::format("too few arguments, expected {}", arguments_));
  if (positional_.size() > most) fail(fmt::format("unexpected argument '{}'", positional_[most]));
  return positional_;
}

std::size_t command_line::index_of_choice(const std::string& option, const std::vector<std::string>& choices) const {
  const auto value = get<std::string>(option);
  const auto found = std::find(choices.begin(), choices.end(), value);
  if (found == choices.end()) {
    fail(fmt::format("--{} takes {}, not '{}'", option, fmt::join(choices, ", "), value));
  }
  return static_cast<std::size_t>(found - choices.begin());
}

std::string command_line::help() const {
  std::string text = parser_->options.help({"", common_group});
  text.erase(text.find_last_not_of('\n') + 1);
  text += "\n";
  if (!examples_.empty()) text += fmt::format("\n Examples:\n  {}\n", fmt::join(examples_, "\n  "));
  return text;
}

using optional_text = std::optional<std::string>;
template void command_line::add<int>(const std::string&, const std::string&, const std::string&, const optional_text&);
template void command_line::add<std::uint64_t>(const std::string&, const std::string&, const std::string&,
                                               const optional_text&);
template void command_line::add<double>(const std::string&, const std::string&, const std::string&,
                                        const optional_text&);
template void command_line::add<std::string>(const std::string&, const std::string&, const std::string&,
                                             const optional_text&);
template int command_line::get<int>(const std::string&) const;
template std::uint64_t command_line::get<std::uint64_t>(const std::string&) const;
template double command_line::get<double>(const std::string&) const;
template std::string command_line::get<std::string>(const std::string&) const;

}  // namespace mangrove::app
