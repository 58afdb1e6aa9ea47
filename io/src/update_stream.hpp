#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mangrove/io/update_reader.hpp"
#include "parallel_chunks.hpp"
#include "update_parser.hpp"

namespace mangrove::io::detail {

/// What `update_reader` does, on an input that needs no file.
class update_stream {
 public:
  static constexpr std::size_t default_chunk_bytes = std::size_t{1} << 18;

  /// @param input outlives the stream
  update_stream(const input& input, batching by, std::size_t chunk_bytes = default_chunk_bytes);

  [[nodiscard]] stream_kind kind() const noexcept { return kind_; }
  bool next(stream_batch& batch);

 private:
  using parsed_updates = parsed_chunk<update_columns>;

  void read_first_line();
  void fill(stream_batch& batch);
  bool refill();
  bool parse_more();
  void admit(parsed_updates& parsed);
  [[nodiscard]] std::size_t room(const stream_batch& batch);
  void take(stream_batch& batch, std::size_t count);

  text_source source_;
  batching by_;
  stream_kind kind_ = stream_kind::signed_updates;
  std::vector<parsed_updates> parsed_;  // chunks parsed together, the first `chunks_taken_` of them used up
  std::size_t chunks_taken_ = 0;
  parsed_updates current_;
  std::size_t taken_ = 0;  // of `current_`
  std::uint64_t lines_ = 0;
  std::uint64_t updates_ = 0;
  insert_weights weights_ = insert_weights::unknown;
  std::optional<std::int64_t> first_time_;
  std::optional<std::int64_t> last_time_;
  bool ended_ = false;
};

}  // namespace mangrove::io::detail
