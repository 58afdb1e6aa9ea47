#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "mangrove/core/growable_array.hpp"
#include "mangrove/core/mirrored.hpp"
#include "mangrove/core/slab_pool.hpp"
#include "run_apply.hpp"
#include "run_moves.hpp"
#include "vertex_ids.hpp"

namespace mangrove::detail {

/// Arrays that a batch needs while it is applied, in one piece of memory that the next batch uses again.
template <backend B, class Bits>
class run_scratch {
 public:
  std::uint32_t* next = nullptr;
  std::uint32_t* chain_vertices = nullptr;
  vertex_run* runs = nullptr;
  std::uint32_t* targets = nullptr;
  std::uint32_t* sequences = nullptr;
  std::uint32_t* growing = nullptr;
  run_plan* plans = nullptr;
  table_task* tasks = nullptr;
  run_counts* counts = nullptr;
  pool_ref::class_entry* classes = nullptr;
  std::uint32_t task_capacity = 0;

  [[nodiscard]] std::size_t bytes() const noexcept { return memory_.size(); }

  /// @param updates directed ones @param ordered whether their positions matter @throws memory_error
  void make_room(const resources<B>& res, std::size_t updates, bool ordered) {
    task_capacity = static_cast<std::uint32_t>(updates + 4096);
    const std::size_t bytes = place(nullptr, updates);
    if (bytes > memory_.size()) {
      memory_ = {};
      memory_ = buffer<B, std::byte>(res, bytes);
    }
    place(memory_.data(), updates);
    if (!ordered) sequences = nullptr;
  }

  /// Gives memory back that only an unusually large batch needed.
  void trim() noexcept {
    if (memory_.size() > most_kept) memory_ = {};
  }

 private:
  static constexpr std::size_t most_kept = std::size_t{256} << 20;

  std::size_t place(std::byte* base, std::size_t updates) {
    std::size_t used = 0;
    const auto put = [&](auto*& array, std::size_t count) {
      array = reinterpret_cast<std::remove_reference_t<decltype(array)>>(base == nullptr ? nullptr : base + used);
      used += (count * sizeof(*array) + 255) / 256 * 256;
    };
    put(classes, size_classes);
    put(next, updates);
    put(chain_vertices, updates);
    put(runs, updates);
    put(targets, updates);
    put(sequences, updates);
    put(growing, updates);
    put(plans, updates);
    put(tasks, task_capacity);
    put(counts, updates);
    return used;
  }

  buffer<B, std::byte> memory_;
};

/// Body, for one tile: whether the batch can be applied with the pool as it is.
struct grant_batch {
  grant_extents grant;
  batch_status* status;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    grant(tile, i);
    tile.sync();
    tile.elect([&] {
      status->go = status->verdict.granted != 0 && status->unsuited == 0 && status->index_limit == 0 ? 1 : 0;
    });
  }
};

/// The way of batches of edge updates of which no vertex gets many: no sort, each adjacency read and written once, and
/// one wait, at the end, unless the pool has to grow.
template <backend B, class Bits>
class direct_path {
 public:
  /// What the path works on.
  struct graph_parts {
    growable_array<B, vertex_entry>& entries;
    growable_array<B, std::uint32_t>& present;  ///< one bit an index
    slab_pool<B>& pool;
    adjacency_policy policy;
  };

  struct result {
    outcome_counts outcomes;  ///< `edges` counts each edge once
    std::uint64_t vertices_created;
    std::uint32_t index_count;  ///< of the graph afterwards
  };

  direct_path(const resources<B>& res, std::size_t max_vertices) : heads_(res, max_vertices), status_(res) {}

  [[nodiscard]] std::size_t bytes() const noexcept { return heads_.bytes(); }

  /// Applies a batch, or finds it unsuited and gives nothing; then the graph is as it was.
  /// @param weights the batch's, or null
  /// @throws memory_error with the graph as it was
  std::optional<result> apply(const resources<B>& res, const edge_updates& updates, const Bits* weights,
                              std::uint32_t index_count, const graph_parts& parts) {
    if (!worth_trying(updates.size(), index_count)) return {};
    const bool ordered = updates.batch.kinds != nullptr || (weights != nullptr && !is_none<Bits>);
    scratch_.make_room(res, updates.size(), ordered);
    make_room(index_count, parts);
    const batch_status* seen = &attempt(res, updates, weights, parts);
    if (seen->unsuited == 0 && seen->index_limit > index_count) {
      make_room(checked_limit(seen->index_limit), parts);
      seen = &attempt(res, updates, weights, parts);
    }
    if (seen->unsuited != 0) {
      scratch_.trim();
      note_failure();
      return {};
    }
    if (seen->go == 0) {
      const pool_demand demand = seen->demand;
      const auto granted = parts.pool.prepare(res, demand);
      fill_bytes(res, &status_.data()->go, 1, 1);
      change_graph(res, updates, weights, parts, granted.ref());
      seen = &status_.fetch(res);
      parts.pool.commit({seen->demand.taken, seen->returned}, granted.end);
    } else {
      parts.pool.commit({seen->demand.taken, seen->returned}, seen->verdict.end);
    }
    parts.present.grow(words(index_count_));
    parts.entries.grow(index_count_);
    skips_after_failure_ = 1;
    scratch_.trim();
    return counted(*seen);
  }

 private:
  /// Where vertices get many updates each, sorting pays; and a stream whose batches turned out so is likely to go on.
  bool worth_trying(std::size_t updates, std::uint32_t index_count) {
    if (updates > max_updates || (updates > 4096 && updates / 8 > index_count)) return false;
    if (skips_ == 0) return true;
    --skips_;
    return false;
  }

  void note_failure() {
    skips_ = skips_after_failure_;
    skips_after_failure_ = std::min(2 * skips_after_failure_, 16U);
  }

  static std::uint32_t checked_limit(std::uint32_t limit) {
    if (limit > max_vertices) throw_unplaceable(limit - 1);
    return limit;
  }

  static std::size_t words(std::uint32_t index_count) { return (index_count + std::size_t{31}) / 32; }

  /// Secures memory, zero until the batch is applied, for vertices up to the index.
  void make_room(std::uint32_t index_count, const graph_parts& parts) {
    heads_.grow(index_count);
    parts.present.reserve(words(index_count));
    parts.entries.reserve(index_count);
    index_count_ = index_count;
  }

  adjacency_view<Bits> view(const graph_parts& parts) const {
    return {parts.entries.data(), parts.pool.base(), index_count_};
  }

  /// Plans the batch, and applies it if all is there.
  const batch_status& attempt(const resources<B>& res, const edge_updates& updates, const Bits* weights,
                              const graph_parts& parts) {
    batch_status* const status = status_.data();
    const std::size_t limit = updates.size();
    const layout_policy<Bits> policy(parts.policy);
    status_.clear(res);
    for_each_tile<1>(res, updates.batch.size,
                     chain_updates{updates, parts.present.data(), index_count_, heads_.data(), scratch_.next,
                                   scratch_.chain_vertices, status});
    for_each_counted<1>(
        res, &status->runs, limit,
        gather_run<Bits>{view(parts), policy, updates, heads_.data(), scratch_.next, scratch_.chain_vertices,
                         scratch_.runs, scratch_.targets, scratch_.sequences, scratch_.growing, status});
    for_each_counted<8>(
        res, &status->growing, limit,
        plan_run<Bits>{view(parts), policy, updates.batch, scratch_.growing, scratch_.runs, scratch_.targets,
                       scratch_.sequences, scratch_.plans, scratch_.tasks, scratch_.task_capacity, status});
    for_each_tile<32>(
        res, 1, grant_batch{{parts.pool.snapshot(), &status->demand, scratch_.classes, &status->verdict}, status});
    change_graph(res, updates, weights, parts, pool_ref(scratch_.classes));
    return status_.fetch(res);
  }

  /// Queues all that changes the graph; does nothing where the batch may not go.
  void change_graph(const resources<B>& res, const edge_updates& updates, const Bits* weights, const graph_parts& parts,
                    const pool_ref& pool) {
    batch_status* const status = status_.data();
    const std::size_t limit = updates.size();
    const table_moves<Bits> moves{view(parts), pool, scratch_.plans, scratch_.tasks, status};
    for_each_counted<32>(res, &status->tasks, scratch_.task_capacity, clear_piece<Bits>{moves});
    for_each_counted<32>(res, &status->tasks, scratch_.task_capacity, move_piece<Bits>{moves});
    for_each_counted<8>(res, &status->runs, limit,
                        apply_run<Bits>{view(parts), pool, updates.batch, weights, scratch_.runs, scratch_.targets,
                                        scratch_.sequences, scratch_.plans, scratch_.counts, status});
    for_each_task<32>(res, (limit + sum_runs::stretch - 1) / sum_runs::stretch,
                      sum_runs{scratch_.counts, updates.direction, status});
    if (updates.batch.kinds == nullptr && updates.batch.kind == update_kind::erase) return;
    for_each_tile<1>(res, updates.batch.size,
                     create_vertices{updates.batch, updates.loops, parts.present.data(), status});
  }

  [[nodiscard]] result counted(const batch_status& seen) const {
    result made{seen.outcomes, seen.vertices_created, index_count_};
    for (std::uint64_t& edges : made.outcomes.edges) edges /= 2;  // each came twice
    return made;
  }

  static constexpr std::size_t max_updates = std::size_t{1} << 31;

  growable_array<B, std::uint32_t> heads_;
  run_scratch<B, Bits> scratch_;
  mirrored<B, batch_status> status_;
  std::uint32_t index_count_ = 0;  ///< of the graph once the batch is applied
  std::uint32_t skips_ = 0;
  std::uint32_t skips_after_failure_ = 1;
};

}  // namespace mangrove::detail
