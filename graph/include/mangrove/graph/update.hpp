#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mangrove/core/backend.hpp"
#include "mangrove/core/none.hpp"

namespace mangrove {

/// What one update of a batch does.
enum class update_kind : std::uint8_t {
  insert,         ///< insert the edge, or overwrite its weight; its end vertices come to be if they do not exist
  erase,          ///< erase the edge; its end vertices stay
  insert_vertex,  ///< make the vertex `source` exist; `target` is ignored
  erase_vertex    ///< erase the vertex `source` and every edge that touches it; `target` is ignored
};

/// A sequence of updates in host memory, as columns. Position is order: later updates win.
struct update_batch {
  std::vector<update_kind> kinds;  ///< one per update
  std::vector<std::uint64_t> sources;
  std::vector<std::uint64_t> targets;
  std::vector<double> weights;  ///< empty when the updates carry no weights, else one per update

  [[nodiscard]] std::size_t size() const noexcept { return kinds.size(); }
  [[nodiscard]] bool empty() const noexcept { return kinds.empty(); }

  void clear() noexcept {
    kinds.clear();
    sources.clear();
    targets.clear();
    weights.clear();
  }

  /// Appends an unweighted update; only for batches without weights.
  void push_back(update_kind kind, std::uint64_t source, std::uint64_t target = 0) {
    kinds.push_back(kind);
    sources.push_back(source);
    targets.push_back(target);
  }
};

/// A batch where its updates lie: in host memory when `B` is `cpu`, in device memory when it is `cuda`.
///
/// Pointers are to `size` elements each and must stay valid while the batch is applied.
template <backend B, class Vertex, class Weight>
struct batch_view {
  const Vertex* sources = nullptr;
  const Vertex* targets = nullptr;
  const Weight* weights = nullptr;     ///< null: inserted edges get a weight of zero
  const update_kind* kinds = nullptr;  ///< null: every update is of `kind`
  update_kind kind = update_kind::insert;
  std::size_t size = 0;
};

/// The net effect of a batch, exactly.
///
/// `inserted + overwritten + erased + ignored` is the number of edge updates in the batch. An undirected edge counts
/// once.
struct update_counts {
  std::uint64_t inserted = 0;     ///< edges absent before and present after
  std::uint64_t overwritten = 0;  ///< edges present before and after that an insert named
  std::uint64_t erased = 0;       ///< edges present before and absent after that an erase named
  std::uint64_t ignored =
      0;  ///< all other edge updates: self loops, repeats, erases of absent edges, updates undone by later ones
  std::uint64_t detached = 0;  ///< edges that went with an erased vertex, beyond those in `erased`
  std::uint64_t vertices_inserted =
      0;  ///< vertices absent before and present after, named by an update or as an edge's end
  std::uint64_t vertices_erased = 0;  ///< vertices present before and absent after

  friend bool operator==(const update_counts&, const update_counts&) = default;
};

}  // namespace mangrove
