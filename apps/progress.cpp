#include "apps/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace mangrove::app {

namespace {

constexpr double seconds_between_lines = 0.1;
constexpr std::size_t bar_cells = 30;

std::size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string bar(double done) {
  const auto filled = static_cast<std::size_t>(done * bar_cells);
  return fmt::format("[{:#<{}}{:.<{}}] {:3.0f} %  ", "", filled, "", bar_cells - filled, done * 100);
}

}  // namespace

progress_line::progress_line(const common_options& options)
    : enabled_(options.messages == verbosity::normal && ::isatty(STDERR_FILENO) == 1) {}

void progress_line::show(double done, const std::string& text) {
  if (!enabled_ || (drawn_ && since_drawn_.seconds() < seconds_between_lines)) return;
  std::string line = (done < 0 ? "" : bar(std::min(done, 1.0))) + text;
  line.resize(std::min(line.size(), terminal_width() - 1));
  fmt::print(stderr, "\r{}\033[K", line);
  std::fflush(stderr);
  drawn_ = true;
  since_drawn_.lap();
}

void progress_line::clear() {
  if (!drawn_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace mangrove::app
