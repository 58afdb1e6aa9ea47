#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "mangrove/core/buffer.hpp"
#include "mangrove/core/for_each.hpp"
#include "mangrove/core/hash.hpp"
#include "mangrove/core/none.hpp"
#include "mangrove/core/transfer.hpp"
#include "mangrove/graph/update.hpp"
#include "support/environment.hpp"

/// @file
/// Streams of random updates as long as one likes. Update k is a function of the seed and of k, so that many threads
/// make a batch and erases can name edges that came before.

namespace mangrove::test {

/// How edges are spread over the vertices.
enum class edge_shape : std::uint8_t {
  uniform,
  skewed  ///< each bit of an id is set with probability 1/4, as R-MAT's are: vertex 0 is the largest hub
};

/// A batch in host memory, with 32-bit ids.
struct host_updates {
  std::vector<update_kind> kinds;
  std::vector<std::uint32_t> sources, targets;

  explicit host_updates(std::size_t size) : kinds(size), sources(size), targets(size) {}
  [[nodiscard]] std::size_t size() const noexcept { return kinds.size(); }

  void set(std::size_t i, update_kind kind, std::pair<std::uint32_t, std::uint32_t> edge) {
    kinds[i] = kind;
    sources[i] = edge.first;
    targets[i] = edge.second;
  }
};

/// The same in a backend's memory.
template <backend B>
class placed_updates {
 public:
  placed_updates(const resources<B>& res, const host_updates& updates)
      : kinds_(make_buffer<B>(res, updates.kinds.data(), updates.size())),
        sources_(make_buffer<B>(res, updates.sources.data(), updates.size())),
        targets_(make_buffer<B>(res, updates.targets.data(), updates.size())) {}

  [[nodiscard]] batch_view<B, std::uint32_t, none> view() const {
    return {sources_.data(), targets_.data(), nullptr, kinds_.data(), update_kind::insert, kinds_.size()};
  }

 private:
  buffer<B, update_kind> kinds_;
  buffer<B, std::uint32_t> sources_, targets_;
};

/// An endless list of random edges.
class edge_stream {
 public:
  /// @param scale ids are below 2^scale
  edge_stream(std::uint64_t seed, edge_shape shape, int scale) : seed_(mix(seed)), shape_(shape), scale_(scale) {}

  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> operator()(std::uint64_t k) const {
    const std::uint64_t first = mix(seed_ + 2 * k);
    const std::uint64_t second = mix(seed_ + 2 * k + 1);
    if (shape_ == edge_shape::uniform) return {id(first), id(second)};
    return {id(first & first >> 32), id(second & second >> 32)};
  }

 private:
  [[nodiscard]] std::uint32_t id(std::uint64_t random) const {
    return static_cast<std::uint32_t>(random) & ((std::uint32_t{1} << scale_) - 1);
  }

  std::uint64_t seed_;
  edge_shape shape_;
  int scale_;
};

/// Whether a batch also inserts and erases vertices.
enum class vertex_updates : std::uint8_t { none, some };

/// A stream of updates: every second one inserts a new edge, the others erase or insert again one of the last `window`
/// new edges.
class update_stream {
 public:
  update_stream(std::uint64_t seed, edge_shape shape, int scale)
      : edges_(seed, shape, scale), seed_(mix(~seed)), window_(std::uint64_t{4} << scale) {}

  /// The updates [first, first + size).
  [[nodiscard]] host_updates batch(const cpu_resources& res, std::uint64_t first, std::size_t size,
                                   vertex_updates vertices) const {
    host_updates made(size);
    // With its captures named: g++ and nvcc, which both compile this header, order implicit ones differently.
    for_each_tile<1>(
        res, size, [this, &made, first, vertices](const auto&, std::size_t i) { make(made, i, first + i, vertices); });
    return made;
  }

 private:
  void make(host_updates& made, std::size_t i, std::uint64_t k, vertex_updates vertices) const {
    const std::uint64_t random = mix(seed_ + k);
    const auto percent = static_cast<std::uint32_t>(random >> 40) % 100;
    if (vertices == vertex_updates::some && random % 4096 == 0) {
      return made.set(i, percent < 70 ? update_kind::erase_vertex : update_kind::insert_vertex, edges_(k));
    }
    if (k % 2 == 0) return made.set(i, update_kind::insert, edges_(k / 2));
    const std::uint64_t age = (random >> 12) % window_;
    const std::uint64_t earlier = k / 2 > age ? k / 2 - age : k / 2;
    made.set(i, percent < 85 ? update_kind::erase : update_kind::insert, edges_(earlier));
  }

  edge_stream edges_;
  std::uint64_t seed_;
  std::uint64_t window_;
};

}  // namespace mangrove::test
