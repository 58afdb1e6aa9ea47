#pragma once

#include <gtest/gtest.h>

#include <bitset>
#include <cstdint>
#include <random>
#include <vector>

#include "mangrove/algorithms/oriented_graph.hpp"
#include "mangrove/core/resources.hpp"

namespace mangrove::test {

/// A small graph as a matrix of bits, whose triangles are counted by brute force.
class bit_graph {
 public:
  static constexpr std::size_t capacity = 256;
  using row = std::bitset<capacity>;

  explicit bit_graph(std::size_t vertices) : rows_(vertices) {}

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  void add(std::size_t u, std::size_t v) { rows_[u][v] = rows_[v][u] = true; }
  void remove(std::size_t u, std::size_t v) { rows_[u][v] = rows_[v][u] = false; }
  [[nodiscard]] bool has(std::size_t u, std::size_t v) const { return rows_[u][v]; }
  void isolate(std::size_t u) {
    for (std::size_t v = 0; v < size(); ++v) remove(u, v);
  }

  [[nodiscard]] std::uint64_t edges() const {
    std::uint64_t count = 0;
    for (std::size_t u = 0; u < size(); ++u) {
      for (std::size_t v = 0; v <= u; ++v) count += has(u, v);
    }
    return count;
  }

  /// Neighbours other than itself.
  [[nodiscard]] std::uint64_t degree(std::size_t u) const { return rows_[u].count() - rows_[u][u]; }

  [[nodiscard]] std::uint64_t triangles_at(std::size_t u) const {
    std::uint64_t twice = 0;
    for (std::size_t v = 0; v < size(); ++v) {
      if (v == u || !has(u, v)) continue;
      for (std::size_t w = 0; w < size(); ++w) twice += w != u && w != v && has(u, w) && has(v, w);
    }
    return twice / 2;
  }

  [[nodiscard]] std::uint64_t triangles() const {
    std::uint64_t count = 0;
    for (std::size_t u = 0; u < size(); ++u) {
      for (std::size_t v = 0; v < u; ++v) {
        if (has(u, v)) count += ((rows_[u] & rows_[v]) & below(v)).count();
      }
    }
    return count;
  }

  [[nodiscard]] bit_graph common(const bit_graph& other) const {
    bit_graph both = *this;
    for (std::size_t u = 0; u < size(); ++u) both.rows_[u] &= other.rows_[u];
    return both;
  }

 private:
  static row below(std::size_t v) { return v == 0 ? row() : row().set() >> (capacity - v); }

  std::vector<row> rows_;
};

inline bit_graph random_graph(std::size_t vertices, double density, std::mt19937_64& random) {
  bit_graph graph(vertices);
  std::bernoulli_distribution joined(density);
  for (std::size_t u = 0; u < vertices; ++u) {
    for (std::size_t v = 0; v < u; ++v) {
      if (joined(random)) graph.add(u, v);
    }
  }
  return graph;
}

inline bit_graph complete_graph(std::size_t vertices) {
  bit_graph graph(vertices);
  for (std::size_t u = 0; u < vertices; ++u) {
    for (std::size_t v = 0; v < u; ++v) graph.add(u, v);
  }
  return graph;
}

/// Vertex 0 and a ring of all others around it.
inline bit_graph wheel(std::size_t vertices) {
  bit_graph graph(vertices);
  for (std::size_t u = 1; u < vertices; ++u) {
    graph.add(0, u);
    graph.add(u, u + 1 == vertices ? 1 : u + 1);
  }
  return graph;
}

inline bit_graph star(std::size_t vertices) {
  bit_graph graph(vertices);
  for (std::size_t u = 1; u < vertices; ++u) graph.add(0, u);
  return graph;
}

inline bit_graph complete_bipartite(std::size_t left, std::size_t right) {
  bit_graph graph(left + right);
  for (std::size_t u = 0; u < left; ++u) {
    for (std::size_t v = 0; v < right; ++v) graph.add(u, left + v);
  }
  return graph;
}

/// A few vertices that know nearly all others, who hardly know each other.
inline bit_graph hubs(std::size_t vertices, std::size_t hub_count, std::mt19937_64& random) {
  bit_graph graph = random_graph(vertices, 0.03, random);
  std::bernoulli_distribution joined(0.9);
  for (std::size_t hub = 0; hub < hub_count; ++hub) {
    for (std::size_t u = 0; u < vertices; ++u) {
      if (u != hub && joined(random)) graph.add(hub, u);
    }
  }
  return graph;
}

/// Rows in a backend's memory.
template <backend B>
csr<B, none> rows_of(const resources<B>& res, const bit_graph& graph) {
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> targets;
  for (std::size_t u = 0; u < graph.size(); ++u) {
    for (std::size_t v = 0; v < graph.size(); ++v) {
      if (graph.has(u, v)) targets.push_back(static_cast<std::uint32_t>(v));
    }
    offsets.push_back(targets.size());
  }
  csr<B, none> rows;
  rows.offsets = make_buffer<B>(res, offsets.data(), offsets.size());
  rows.targets = make_buffer<B>(res, targets.data(), targets.size());
  res.synchronize();
  return rows;
}

}  // namespace mangrove::test
