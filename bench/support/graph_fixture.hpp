#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "csr_rebuild.hpp"
#include "mangrove/graph/dynamic_graph.hpp"
#include "placed_edges.hpp"
#include "registry.hpp"

namespace mangrove::bench {

/// How the edges of a batch are spread over the vertices.
enum class batch_shape : std::uint8_t {
  uniform,    ///< ends are drawn at random
  power_law,  ///< R-MAT edges
  hub         ///< one vertex takes the whole batch
};

/// What all benchmarks of one input share. What is costly is made when it is first asked for and kept.
template <backend B>
class graph_fixture {
 public:
  using graph_type = dynamic_graph<B, std::uint32_t, none>;
  using turns_type = batch_turns<placed_edges<B>>;
  static constexpr graph_options options{.direction = edge_direction::directed};

  /// @param largest_bits batches have at most 2^largest_bits edges
  graph_fixture(const resources<B>& res, directed_edges edges, int largest_bits)
      : res_(res), edges_(std::move(edges)), placed_(res, edges_), largest_bits_(largest_bits) {}

  [[nodiscard]] const resources<B>& res() const noexcept { return res_; }
  [[nodiscard]] const directed_edges& edges() const noexcept { return edges_; }
  [[nodiscard]] const placed_edges<B>& placed() const noexcept { return placed_; }

  /// The directed graph; benchmarks leave it as they found it but for room that has grown and for edges of its own that
  /// batches named and then erased.
  graph_type& graph() {
    if (graph_ == nullptr) {
      graph_ = std::make_unique<graph_type>(res_, options);
      graph_->apply(res_, placed_.all(update_kind::insert));
    }
    return *graph_;
  }

  /// The same graph as sorted edges.
  csr_rebuild<B>& rows() {
    if (rows_ == nullptr) {
      rows_ = std::make_unique<csr_rebuild<B>>(res_, edges_.vertices);
      rows_->insert(res_, placed_.sources.data(), placed_.targets.data(), edges_.size());
    }
    return *rows_;
  }

  /// Batches of 2^bits edges. Small ones come from 2^20 edges or more before they repeat, so that their vertices are
  /// not in a cache.
  turns_type& batches(batch_shape shape, int bits) {
    const auto known = turns_.find({shape, bits});
    if (known != turns_.end()) return known->second;
    return turns_.try_emplace({shape, bits}, pool(shape, bits), std::size_t{1} << bits).first->second;
  }

  /// Random pairs of vertices, as many as the uniform batches are drawn from.
  const placed_edges<B>& random_edges() { return pool(batch_shape::uniform, 0); }

  /// Keeps one thing of any type besides, made by `make` when another one, or none, was kept.
  template <class T, class Make>
  T& only(const std::string& key, const Make& make) {
    if (kept_key_ != key) {
      kept_.reset();
      kept_ = std::make_shared<T>(make());
      kept_key_ = key;
    }
    return *static_cast<T*>(kept_.get());
  }

 private:
  static constexpr std::size_t turns_at_least = 4;

  const placed_edges<B>& pool(batch_shape shape, int bits) {
    auto& pool = shape == batch_shape::uniform ? pools_[{shape, 0}] : pools_[{shape, bits}];
    if (pool == nullptr) pool = std::make_unique<placed_edges<B>>(res_, pool_edges(shape, bits));
    return *pool;
  }

  [[nodiscard]] directed_edges pool_edges(batch_shape shape, int bits) const {
    constexpr std::uint64_t seed = 7;
    const std::size_t size = std::size_t{1} << bits;
    if (shape == batch_shape::hub) return hub_batches(edges_.vertices, size, turns_at_least, seed);
    if (shape == batch_shape::power_law) {
      return power_law_batch(cpu_resources(), edges_.vertices, turns_at_least * size, seed);
    }
    return random_batch(edges_.vertices, turns_at_least << (largest_bits_ < 18 ? 18 : largest_bits_), seed);
  }

  resources<B> res_;
  directed_edges edges_;
  placed_edges<B> placed_;
  int largest_bits_;
  std::unique_ptr<graph_type> graph_;
  std::unique_ptr<csr_rebuild<B>> rows_;
  std::map<std::pair<batch_shape, int>, std::unique_ptr<placed_edges<B>>> pools_;
  std::map<std::pair<batch_shape, int>, turns_type> turns_;
  std::string kept_key_;
  std::shared_ptr<void> kept_;
};

}  // namespace mangrove::bench
