#pragma once

#include <string>

#include "mangrove/graph/update.hpp"

namespace mangrove::io {

/// Writes a signed update list (`+ u v [w]`, `- u v`, `+v u`, `-v u`) as `update_reader` reads it; compressed where the
/// name ends in `.gz`, to standard output for `-`. Written aside and then renamed: after an error the path is as
/// it was. Formatted in parallel.
/// @throws io_error the file cannot be written
/// @throws usage_error columns of `updates` differ in length, or a weight is not finite
void write_updates(const std::string& path, const update_batch& updates);

}  // namespace mangrove::io
