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

/// A column of a batch where the backend can read it.
template <backend B, class T>
class column {
 public:
  column() = default;

  /// Of elements that stay where they are: a CPU reads them there.
  column(const resources<B>& res, const std::vector<T>& host) {
    if constexpr (std::is_same_v<B, cpu>) {
      data_ = host.empty() ? nullptr : host.data();
    } else {
      device_ = make_buffer<B>(res, host.data(), host.size());
      data_ = device_.data();
    }
  }

  /// Of elements that nobody else keeps.
  column(const resources<B>& res, std::vector<T>&& host) : column(res, host) {
    if constexpr (std::is_same_v<B, cpu>) host_ = std::move(host);
  }

  [[nodiscard]] const T* data() const noexcept { return data_; }

 private:
  std::vector<T> host_;
  buffer<B, T> device_;
  const T* data_ = nullptr;
};

/// Places a column of ids or weights. @throws usage_error when an id does not fit
template <backend B, class T, class From>
column<B, T> place_column(const resources<B>& res, const std::vector<From>& values) {
  if constexpr (std::is_same_v<T, From>) {
    return {res, values};
  } else if constexpr (std::is_integral_v<T>) {
    return {res, convert_ids<T>(values)};
  } else {
    return {res, std::vector<T>(values.begin(), values.end())};
  }
}

}  // namespace detail

/// A batch from host memory, in a graph's types, where the graph's backend can read it. Functions that take an
/// `update_batch` make one each; whoever calls several of them for a batch makes one, and hands its view to all.
///
/// A CPU reads columns that need no conversion where they are: the batch or list must outlive this. Movable, not
/// copyable. Memory: on a device, the columns; on a CPU, those that are converted.
template <backend B, class Vertex, class Weight>
class placed_batch {
 public:
  /// @throws usage_error when columns differ in length, or an id is beyond the type `Vertex`
  /// @throws memory_error when memory is refused
  placed_batch(const resources<B>& res, const update_batch& batch) {
    if (batch.sources.size() != batch.size() || batch.targets.size() != batch.size() ||
        (!batch.weights.empty() && batch.weights.size() != batch.size())) {
      throw usage_error("the columns of an update batch must have the same length");
    }
    kinds_ = {res, batch.kinds};
    view_.kinds = kinds_.data();
    place_edges(res, batch.sources, batch.targets, batch.weights);
  }

  /// Inserts of a list's edges.
  placed_batch(const resources<B>& res, const edge_list& edges) {
    if (edges.targets.size() != edges.size() || (edges.weighted() && edges.weights.size() != edges.size())) {
      throw usage_error("the columns of an edge list must have the same length");
    }
    place_edges(res, edges.sources, edges.targets, edges.weights);
  }

  /// Valid while this is, also after it has been moved.
  [[nodiscard]] const batch_view<B, Vertex, Weight>& view() const noexcept { return view_; }

 private:
  void place_edges(const resources<B>& res, const std::vector<std::uint64_t>& sources,
                   const std::vector<std::uint64_t>& targets, const std::vector<double>& weights) {
    sources_ = detail::place_column<B, Vertex>(res, sources);
    targets_ = detail::place_column<B, Vertex>(res, targets);
    if constexpr (!is_none<Weight>) weights_ = detail::place_column<B, Weight>(res, weights);
    view_.size = sources.size();
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
