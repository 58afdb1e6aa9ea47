#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "mangrove/core/buffer.hpp"
#include "mangrove/core/error.hpp"
#include "mangrove/graph/edge_list.hpp"
#include "mangrove/graph/update.hpp"
#include "translated_updates.hpp"

/// @file
/// Batches in host memory on their way to a backend: types are converted, then columns copied where they are needed.

namespace mangrove::detail {

/// Converts ids to the graph's type. @throws usage_error when one does not fit
template <class Vertex>
std::vector<Vertex> convert_ids(const std::vector<std::uint64_t>& ids) {
  std::vector<Vertex> converted(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] > std::numeric_limits<Vertex>::max()) {
      throw usage_error("vertex id " + std::to_string(ids[i]) + " does not fit into the graph's " +
                        std::to_string(8 * sizeof(Vertex)) + "-bit vertex type; use a graph with 64-bit ids");
    }
    converted[i] = static_cast<Vertex>(ids[i]);
  }
  return converted;
}

/// A column of a batch where the backend can read it; host columns that need no conversion are used in place.
template <backend B, class T>
class column {
 public:
  column() = default;
  column(const resources<B>& res, const std::vector<T>& host) { place(res, host.data(), host.size()); }
  column(const resources<B>& res, std::vector<T>&& host) : host_(std::move(host)) {
    place(res, host_.data(), host_.size());
  }
  [[nodiscard]] const T* data() const noexcept { return data_; }

 private:
  void place(const resources<B>& res, const T* host, std::size_t count) {
    if constexpr (std::is_same_v<B, cpu>) {
      data_ = count == 0 ? nullptr : host;
    } else {
      device_ = make_buffer<B>(res, host, count);
      data_ = device_.data();
    }
  }

  std::vector<T> host_;
  buffer<B, T> device_;
  const T* data_ = nullptr;
};

/// A whole batch where the backend can read it.
template <backend B, class Vertex, class Weight>
class placed_batch {
 public:
  placed_batch(const resources<B>& res, const update_batch& batch) : kinds_(res, batch.kinds) {
    place_edges(res, batch.sources, batch.targets, batch.weights);
    if (batch.sources.size() != batch.size() || batch.targets.size() != batch.size() ||
        (!batch.weights.empty() && batch.weights.size() != batch.size())) {
      throw usage_error("the columns of an update batch must have the same length");
    }
    view_.kinds = kinds_.data();
    view_.size = batch.size();
  }

  placed_batch(const resources<B>& res, const edge_list& edges) {
    place_edges(res, edges.sources, edges.targets, edges.weights);
    if (edges.targets.size() != edges.size() || (edges.weighted() && edges.weights.size() != edges.size())) {
      throw usage_error("the columns of an edge list must have the same length");
    }
    view_.size = edges.size();
  }

  [[nodiscard]] const batch_view<B, Vertex, Weight>& view() const noexcept { return view_; }

 private:
  void place_edges(const resources<B>& res, const std::vector<std::uint64_t>& sources,
                   const std::vector<std::uint64_t>& targets, const std::vector<double>& weights) {
    if constexpr (std::is_same_v<Vertex, std::uint64_t>) {
      sources_ = {res, sources};
      targets_ = {res, targets};
    } else {
      sources_ = {res, convert_ids<Vertex>(sources)};
      targets_ = {res, convert_ids<Vertex>(targets)};
    }
    if constexpr (!is_none<Weight>) weights_ = {res, std::vector<Weight>(weights.begin(), weights.end())};
    view_.sources = sources_.data();
    view_.targets = targets_.data();
    view_.weights = weights_.data();
  }

  column<B, Vertex> sources_;
  column<B, Vertex> targets_;
  column<B, Weight> weights_;
  column<B, update_kind> kinds_;
  batch_view<B, Vertex, Weight> view_;
};

/// The number of vertices that a list says exist. @throws usage_error when a graph cannot hold as many
inline std::uint32_t checked_vertex_count(const edge_list& edges) {
  if (edges.vertex_count >= max_vertices) {
    throw usage_error("an edge list with " + std::to_string(edges.vertex_count) +
                      " vertices is too large: a graph holds at most " + std::to_string(max_vertices));
  }
  return static_cast<std::uint32_t>(edges.vertex_count);
}

/// A list of edges as a batch that also makes its vertices exist.
inline update_batch with_vertices(const edge_list& edges) {
  update_batch batch;
  batch.kinds.assign(edges.vertex_count, update_kind::insert_vertex);
  batch.kinds.resize(edges.vertex_count + edges.size(), update_kind::insert);
  batch.sources.resize(edges.vertex_count);
  for (std::uint64_t i = 0; i < edges.vertex_count; ++i) batch.sources[i] = i + 1;
  batch.targets.resize(edges.vertex_count);
  batch.sources.insert(batch.sources.end(), edges.sources.begin(), edges.sources.end());
  batch.targets.insert(batch.targets.end(), edges.targets.begin(), edges.targets.end());
  if (edges.weighted()) {
    batch.weights.resize(edges.vertex_count);
    batch.weights.insert(batch.weights.end(), edges.weights.begin(), edges.weights.end());
  }
  return batch;
}

}  // namespace mangrove::detail
