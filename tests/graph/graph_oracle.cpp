#include "graph_oracle.hpp"

#include <algorithm>
#include <unordered_map>

namespace mangrove::test {

namespace {

// Containers of types that no other file has: the linker would take others' functions for them, which ThreadSanitizer
// slows down.

struct edge_hash {
  std::size_t operator()(const graph_oracle::edge& e) const {
    return static_cast<std::size_t>((e.first * 0x9e3779b97f4a7c15U ^ e.second) * 0xbf58476d1ce4e5b9U);
  }
};

struct id_hash {
  std::size_t operator()(std::uint64_t id) const { return static_cast<std::size_t>(id * 0x9e3779b97f4a7c15U); }
};

/// An edge that is there, or was before the batch, or that the batch names.
struct edge_state {
  double weight = 0;
  bool is_there = false;
  bool is_noted = false;  ///< the batch may change it, and what follows is known
  bool was_there = false;
  bool by_update = false;       ///< or only by the erasure of an end
  std::size_t last_update = 0;  ///< its position

  void forget_note() { is_noted = by_update = false; }
};

struct vertex_state {
  bool is_there = false;
  bool is_noted = false;
  bool was_there = false;
  std::size_t erased_before = 0;  ///< one more than the position where the batch erases it last

  void forget_note() {
    is_noted = false;
    erased_before = 0;
  }
};

using edge_states = std::unordered_map<graph_oracle::edge, edge_state, edge_hash>;
using vertex_states = std::unordered_map<std::uint64_t, vertex_state, id_hash>;

}  // namespace

class graph_oracle::state {
 public:
  explicit state(const graph_options& options) : options_(options) {}

  [[nodiscard]] const graph_options& options() const { return options_; }
  [[nodiscard]] const edge_states& edges() const { return edges_; }
  [[nodiscard]] const vertex_states& vertices() const { return vertices_; }

  update_counts apply(const update_batch& batch) {
    std::uint64_t edge_updates = 0;
    for (std::size_t i = 0; i < batch.size(); ++i) edge_updates += apply_one(batch, i) ? 1 : 0;
    update_counts counts;
    for (const edge_states::value_type* const noted : noted_edges_) count(*noted, counts);
    for (const vertex_states::value_type* const noted : noted_vertices_) count(*noted, counts);
    counts.ignored = edge_updates - counts.inserted - counts.overwritten - counts.erased;
    forget_notes(noted_edges_, edges_);
    forget_notes(noted_vertices_, vertices_);
    return counts;
  }

 private:
  [[nodiscard]] edge canonical(std::uint64_t u, std::uint64_t v) const {
    if (options_.direction == edge_direction::undirected && v < u) std::swap(u, v);
    return {u, v};
  }

  /// Notes what there is before the batch changes it.
  template <class Entry>
  static void note(Entry& entry, std::vector<Entry*>& noted) {
    if (entry.second.is_noted) return;
    entry.second.is_noted = true;
    entry.second.was_there = entry.second.is_there;
    noted.push_back(&entry);
  }

  vertex_state& noted_vertex(std::uint64_t v) {
    vertex_states::value_type& entry = *vertices_.try_emplace(v).first;
    note(entry, noted_vertices_);
    return entry.second;
  }

  /// @return whether it was an update of an edge
  bool apply_one(const update_batch& batch, std::size_t i) {
    const std::uint64_t u = batch.sources[i];
    const std::uint64_t v = batch.targets[i];
    switch (batch.kinds[i]) {
      case update_kind::insert_vertex:
        noted_vertex(u).is_there = true;
        return false;
      case update_kind::erase_vertex:
        erase_vertex(u, i);
        return false;
      default:
        if (u != v || options_.loops == self_loops::keep) update_edge(batch, i, canonical(u, v));
        return true;
    }
  }

  void update_edge(const update_batch& batch, std::size_t i, const edge& e) {
    edge_states::value_type& entry = *edges_.try_emplace(e).first;
    note(entry, noted_edges_);
    edge_state& updated = entry.second;
    updated.by_update = true;
    updated.last_update = i;
    updated.is_there = batch.kinds[i] == update_kind::insert;
    if (!updated.is_there) return;
    updated.weight = batch.weights.empty() ? 0.0 : batch.weights[i];
    noted_vertex(e.first).is_there = true;
    noted_vertex(e.second).is_there = true;
  }

  void erase_vertex(std::uint64_t u, std::size_t i) {
    vertex_state& erased = noted_vertex(u);
    erased.is_there = false;
    erased.erased_before = i + 1;
    for (edge_states::value_type& entry : edges_) {
      const bool goes = entry.second.is_there && (entry.first.first == u || entry.first.second == u);
      if (!goes) continue;
      note(entry, noted_edges_);
      entry.second.is_there = false;
    }
  }

  [[nodiscard]] std::size_t erased_before(std::uint64_t v) const {
    const auto at = vertices_.find(v);
    return at == vertices_.end() ? 0 : at->second.erased_before;
  }

  void count(const edge_states::value_type& noted, update_counts& counts) const {
    const auto& [e, of] = noted;
    if (of.was_there && !of.is_there) {
      const bool by_update =
          of.by_update && of.last_update >= std::max(erased_before(e.first), erased_before(e.second));
      ++(by_update ? counts.erased : counts.detached);
    } else if (of.is_there && !of.was_there) {
      ++counts.inserted;
    } else if (of.is_there && of.by_update) {
      ++counts.overwritten;
    }
  }

  static void count(const vertex_states::value_type& noted, update_counts& counts) {
    counts.vertices_inserted += noted.second.is_there && !noted.second.was_there ? 1 : 0;
    counts.vertices_erased += noted.second.was_there && !noted.second.is_there ? 1 : 0;
  }

  /// Only what is there is left then.
  template <class Entry, class States>
  static void forget_notes(std::vector<Entry*>& noted, States& states) {
    for (Entry* const entry : noted) {
      if (entry->second.is_there) {
        entry->second.forget_note();
      } else {
        states.erase(states.find(entry->first));
      }
    }
    noted.clear();
  }

  graph_options options_;
  edge_states edges_;
  vertex_states vertices_;
  std::vector<edge_states::value_type*> noted_edges_;
  std::vector<vertex_states::value_type*> noted_vertices_;
};

graph_oracle::graph_oracle(const graph_options& options) : state_(std::make_unique<state>(options)) {}
graph_oracle::~graph_oracle() = default;

update_counts graph_oracle::apply(const update_batch& batch) {
  return state_->apply(batch);
}

std::size_t graph_oracle::vertex_count() const {
  return state_->vertices().size();
}

bool graph_oracle::has_vertex(std::uint64_t v) const {
  return state_->vertices().count(v) != 0;
}

std::size_t graph_oracle::edge_count() const {
  return state_->edges().size();
}

graph_oracle::weighted_edges graph_oracle::edges() const {
  weighted_edges all;
  all.reserve(edge_count());
  for (const auto& [e, of] : state_->edges()) all.emplace_back(e, of.weight);
  sort(all);
  return all;
}

graph_oracle::weighted_edges graph_oracle::directed_edges() const {
  if (state_->options().direction == edge_direction::directed) return edges();
  weighted_edges all;
  all.reserve(2 * edge_count());
  for (const auto& [e, of] : state_->edges()) {
    all.emplace_back(e, of.weight);
    if (e.first != e.second) all.emplace_back(edge{e.second, e.first}, of.weight);
  }
  sort(all);
  return all;
}

void graph_oracle::sort(weighted_edges& edges) {
  std::sort(edges.begin(), edges.end(), [](const auto& one, const auto& other) { return one.first < other.first; });
}

}  // namespace mangrove::test
