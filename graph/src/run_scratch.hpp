#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "gathered_runs.hpp"
#include "hub_list.hpp"
#include "mangrove/core/buffer.hpp"
#include "run_places.hpp"

namespace mangrove::detail {

/// Arrays that a batch needs while it is applied, in one piece of memory that the next batch uses again.
template <backend B, class Bits>
class run_scratch {
 public:
  std::uint32_t* next = nullptr;
  vertex_run* lists[run_lists_count] = {};
  vertex_run* growing = nullptr;
  gathered_runs gathered{};  ///< for the CPU
  std::uint32_t* targets = nullptr;
  std::uint32_t* sequences = nullptr;
  run_plan* plans = nullptr;
  table_task* tasks = nullptr;
  std::uint32_t* creating = nullptr;
  pool_ref::class_entry* classes = nullptr;
  std::uint64_t* sorted = nullptr;  ///< keys, by source or bin; where there may be hubs, as all that follows
  hub_list hubs{};
  std::uint32_t task_capacity = 0;
  std::uint32_t hub_capacity = 0;  ///< hubs, and pieces of them

  [[nodiscard]] std::size_t bytes() const noexcept { return memory_.size(); }

  /// @param updates directed ones @param ordered whether their positions matter @throws memory_error
  void make_room(const resources<B>& res, std::size_t updates, bool ordered) {
    task_capacity = static_cast<std::uint32_t>(updates + 65536);
    hub_capacity = static_cast<std::uint32_t>(updates / hub_list::min_updates);
    const std::size_t bytes = place(nullptr, updates);
    if (bytes > memory_.size()) {
      memory_ = {};
      memory_ = buffer<B, std::byte>(res, bytes);
    }
    place(memory_.data(), updates);
    if (!ordered) sequences = nullptr;
    hubs.first_plan = static_cast<std::uint32_t>(updates);
  }

  /// Room for keys in bins, where a batch that is sorted has its keys and hubs.
  [[nodiscard]] std::uint64_t* keys() const noexcept { return sorted; }
  /// How many, for each update.
  static constexpr std::size_t keys_per_update = 3;

  /// Room for as many keys as there are updates, until runs are gathered. For the CPU.
  [[nodiscard]] std::uint64_t* spare_keys() const noexcept { return reinterpret_cast<std::uint64_t*>(gathered.runs); }

  /// The same of memory that no other loop of the CPU writes to, so that it stays in the caches of those who sort
  /// there.
  [[nodiscard]] std::uint64_t* spare_of_threads() const noexcept { return reinterpret_cast<std::uint64_t*>(creating); }

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
    for (vertex_run*& list : lists) put(list, updates);
    put(growing, updates);
    if constexpr (std::is_same_v<B, cpu>) {
      put(gathered.runs, updates);
      put(gathered.of_stretch, gathered_runs::stretches_for(updates));
    }
    put(targets, run_places::count_for(updates));
    put(sequences, run_places::count_for(updates));
    put(plans, updates + hub_capacity);
    put(tasks, task_capacity);
    put(creating, 2 * updates);
    put(sorted, updates);
    const std::size_t before_hubs = used;
    put(hubs.hubs, hub_capacity);
    put(hubs.pieces, hub_capacity);
    put(hubs.placed_pieces, hub_capacity);
    for (std::uint32_t*& list : hubs.tables) put(list, hub_capacity);
    put(hubs.outcomes, updates);
    put(hubs.slots, updates);
    put(hubs.named, 2 * updates);
    put(hubs.last, 2 * updates);
    return std::max(used, before_hubs + (keys_per_update - 1) * updates * sizeof(std::uint64_t));
  }

  buffer<B, std::byte> memory_;
};

}  // namespace mangrove::detail
