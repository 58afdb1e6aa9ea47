#include "fuzz_support.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mangrove::io::fuzz::check_text_parser(data, size, mangrove::io::graph_format::edge_list);
  return 0;
}
