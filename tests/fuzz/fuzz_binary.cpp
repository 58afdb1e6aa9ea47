#include "binary_format.hpp"
#include "fuzz_support.hpp"

namespace {

using namespace mangrove::io;

void check_binary(const std::vector<std::uint64_t>& words, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(words.data()), size);
  const fuzz::outcome read = fuzz::parse(bytes, graph_format::binary, 0);
  fuzz::require(read.graph.targets.size() == read.graph.size());
  fuzz::require(read.failed || size >= sizeof(detail::binary_header) + 16 * read.graph.size());
}

}  // namespace

/// As they are, and with the checksum that the fuzzer would not find.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint64_t> words((size + 7) / 8 + 1);
  if (size > 0) std::memcpy(words.data(), data, size);
  check_binary(words, size);
  detail::binary_header header;
  if (size < sizeof header) return 0;
  std::memcpy(&header, words.data(), sizeof header);
  header.checksum = detail::header_checksum(header);
  std::memcpy(words.data(), &header, sizeof header);
  check_binary(words, size);
  return 0;
}
