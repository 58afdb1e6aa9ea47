#pragma once

namespace mangrove::app {

/// The subcommands. Each takes the arguments behind its name (argv[0] is the name), prints its result and throws
/// `bad_usage` or what the library throws.
void info(int argc, const char* const* argv);
void generate(int argc, const char* const* argv);
void convert(int argc, const char* const* argv);
void triangles(int argc, const char* const* argv);
void stream(int argc, const char* const* argv);

}  // namespace mangrove::app
