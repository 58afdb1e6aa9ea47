#include <algorithm>
#include <cmath>
#include <string>

#include "mangrove/core/error.hpp"
#include "mangrove/core/for_each.hpp"
#include "mangrove/io/counter_random.hpp"
#include "mangrove/io/generate.hpp"

namespace mangrove::io {

namespace {

/// Kinds are dealt out in blocks of this many updates, in a random order within each, so that it is known without
/// looking at other updates how many erases and inserts came before.
constexpr std::uint64_t block = 1024;

struct ends {
  std::uint64_t source, target;
};

/// The stream as a function from an update's position.
class random_stream {
 public:
  random_stream(const edge_list& graph, const stream_options& options)
      : graph_(graph),
        random_(options.seed, 5),
        picks_(options.seed, 6),
        erase_order_(options.seed, 7, graph.size()),
        seed_(options.seed),
        erases_(static_cast<std::uint64_t>(std::llround(options.erases * block))),
        repeats_(std::min(block - erases_, static_cast<std::uint64_t>(std::llround(options.repeats * block)))),
        inserts_(block - erases_ - repeats_) {}

  [[nodiscard]] update_kind operator()(std::uint64_t position, ends& edge) const {
    const std::uint64_t round = position / block;
    const std::uint64_t place = random_permutation(seed_, 8 + round, block)(position % block);
    if (place < erases_) {
      edge = victim(round * erases_ + place);
      return update_kind::erase;
    }
    edge = place < erases_ + repeats_ ? earlier(position, round * inserts_)
                                      : inserted(round * inserts_ + (place - erases_ - repeats_));
    return update_kind::insert;
  }

 private:
  /// The edge of the insert number i.
  [[nodiscard]] ends inserted(std::uint64_t i) const {
    const std::uint64_t source = random_vertex(random_(2 * i));
    std::uint64_t target = random_vertex(random_(2 * i + 1));
    for (std::uint64_t attempt = 0; target == source && attempt < 8; ++attempt) {
      target = random_vertex(mix(random_(2 * i + 1) + attempt));
    }
    return {source, target};
  }

  /// The edge of the erase number i. A round's inserts are there for the erases from the next round on.
  [[nodiscard]] ends victim(std::uint64_t i) const {
    if (i < graph_.size()) return graph_edge(erase_order_(i));
    const std::uint64_t insert = i - graph_.size();
    return inserted(insert >= inserts_ ? insert - inserts_ : insert);
  }

  /// An edge of the graph or of one of the `inserts` inserts in earlier rounds.
  [[nodiscard]] ends earlier(std::uint64_t position, std::uint64_t inserts) const {
    const std::uint64_t choices = graph_.size() + inserts;
    if (choices == 0) return inserted(0);
    const std::uint64_t pick = picks_(position) % choices;
    return pick < graph_.size() ? graph_edge(pick) : inserted(pick - graph_.size());
  }

  [[nodiscard]] ends graph_edge(std::uint64_t i) const { return {graph_.sources[i], graph_.targets[i]}; }

  [[nodiscard]] std::uint64_t random_vertex(std::uint64_t random) const {
    if (graph_.size() == 0) return 1 + random % graph_.vertex_count;
    const std::uint64_t edge = (random >> 1) % graph_.size();
    return (random & 1) != 0 ? graph_.sources[edge] : graph_.targets[edge];
  }

  const edge_list& graph_;
  counter_random random_, picks_;
  random_permutation erase_order_;
  std::uint64_t seed_;
  std::uint64_t erases_, repeats_, inserts_;  // in a block
};

void check(const edge_list& graph, const stream_options& options) {
  if (graph.size() == 0 && graph.vertex_count == 0) {
    throw usage_error("a stream of updates needs a graph with edges, or vertices to draw edges from");
  }
  if (!(options.erases >= 0 && options.repeats >= 0 && options.erases + options.repeats <= 1)) {
    throw usage_error("the shares of erases and repeats must not be negative, and their sum at most 1");
  }
}

}  // namespace

update_batch generate_stream(const cpu_resources& res, const edge_list& graph, const stream_options& options) {
  check(graph, options);
  update_batch updates;
  updates.kinds.resize(options.updates);
  updates.sources.resize(options.updates);
  updates.targets.resize(options.updates);
  const random_stream stream(graph, options);
  for_each_tile<1>(res, options.updates, [&](const auto&, std::size_t i) {
    ends edge{};
    updates.kinds[i] = stream(i, edge);
    updates.sources[i] = edge.source;
    updates.targets[i] = edge.target;
  });
  return updates;
}

}  // namespace mangrove::io
