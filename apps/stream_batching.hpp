#pragma once

#include <cstdint>
#include <string>

#include "apps/command_line.hpp"
#include "mangrove/io/update_reader.hpp"

namespace mangrove::app {

/// Adds --batch and --batch-time.
void add_batching(command_line& line);

/// How the user wants the updates of a file to be batched. Without a wish, a batch is about a hundredth of the file: a
/// power of two from 2^10 to 2^20, found from the file's size; 2^16 updates where that is not known. @throws bad_usage
io::batching read_batching(const command_line& line, const std::string& path);

}  // namespace mangrove::app
