#include "fuzz_support.hpp"

/// The bytes behind a gzip magic, so that the fuzzer does not have to find it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint8_t> bytes{0x1f, 0x8b};
  bytes.insert(bytes.end(), data, data + size);
  mangrove::io::fuzz::check_text_parser(bytes.data(), bytes.size(), mangrove::io::graph_format::edge_list);
  return 0;
}
