#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "output_file.hpp"

namespace mangrove::io::detail {

/// Whether what is written gets compressed.
enum class compression { none, gzip };

/// Appends numbers to a text.
void append_number(std::string& text, std::uint64_t number);
/// The shortest text that reads back as the same double. Throws `usage_error` for infinities and NaN.
void append_number(std::string& text, double number);

/// Writes `begin` and then the lines 0 to `lines` - 1, which `format(text, first, last)` appends to a text for any part
/// [first, last) of them, on several threads at once.
void write_lines(output_file& file, std::string_view begin, std::size_t lines, compression compress,
                 const std::function<void(std::string&, std::size_t, std::size_t)>& format);

}  // namespace mangrove::io::detail
