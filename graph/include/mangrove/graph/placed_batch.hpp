#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "mangrove/core/buffer.hpp"
#include "mangrove/core/error.hpp"
#include "mangrove/core/resources.hpp"
#include "mangrove/graph/edge_list.hpp"
#include "mangrove/graph/update.hpp"

namespace mangrove {

namespace detail {

/// Ids in a graph's type. @throws usage_error when one does not fit
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

}  // namespace detail

/// A batch from host memory, in a graph's types, where the graph's backend can read it. Functions that take an
/// `update_batch` make one each; whoever calls several of them for a batch makes one, and hands its view to all.
///
/// Columns that need no conversion are read where they are on a CPU: the batch or list must outlive this. Movable, not
/// copyable. Memory: on a device, the batch's columns; on the host, those that are converted.
template <backend B, class Vertex, class Weight>
class placed_batch {
 public:
  /// @throws usage_error when columns differ in length, or an id is beyond the type `Vertex`
  /// @throws memory_error when memory is refused
  placed_batch(const resources<B>& res, const update_batch& batch) : kinds_(res, batch.kinds) {
    place_edges(res, batch.sources, batch.targets, batch.weights);
    if (batch.sources.size() != batch.size() || batch.targets.size() != batch.size() ||
        (!batch.weights.empty() && batch.weights.size() != batch.size())) {
      throw usage_error("the columns of an update batch must have the same length");
    }
    view_.kinds = kinds_.data();
    view_.size = batch.size();
  }

  /// Inserts of a list's edges.
  placed_batch(const resources<B>& res, const edge_list& edges) {
    place_edges(res, edges.sources, edges.targets, edges.weights);
    if (edges.targets.size() != edges.size() || (edges.weighted() && edges.weights.size() != edges.size())) {
      throw usage_error("the columns of an edge list must have the same length");
    }
    view_.size = edges.size();
  }

  /// Valid while this is, also after it has been moved.
  [[nodiscard]] const batch_view<B, Vertex, Weight>& view() const noexcept { return view_; }

 private:
  void place_edges(const resources<B>& res, const std::vector<std::uint64_t>& sources,
                   const std::vector<std::uint64_t>& targets, const std::vector<double>& weights) {
    if constexpr (std::is_same_v<Vertex, std::uint64_t>) {
      sources_ = {res, sources};
      targets_ = {res, targets};
    } else {
      sources_ = {res, detail::convert_ids<Vertex>(sources)};
      targets_ = {res, detail::convert_ids<Vertex>(targets)};
    }
    if constexpr (!is_none<Weight>) weights_ = {res, std::vector<Weight>(weights.begin(), weights.end())};
    view_.sources = sources_.data();
    view_.targets = targets_.data();
    view_.weights = weights_.data();
  }

  detail::column<B, Vertex> sources_;
  detail::column<B, Vertex> targets_;
  detail::column<B, Weight> weights_;
  detail::column<B, update_kind> kinds_;
  batch_view<B, Vertex, Weight> view_;
};

}  // namespace mangrove
