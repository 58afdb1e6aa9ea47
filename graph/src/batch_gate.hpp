#pragma once

#include "mangrove/core/atomic.hpp"
#include "mangrove/core/resources.hpp"
#include "vertex_runs.hpp"

namespace mangrove::detail {

/// Gate (core/counted_part.hpp) of a launch that applies runs: whether the graph may be changed. The launch may begin
/// beside the one that grants extents: it asks for runs meanwhile, which is a wait less.
struct batch_gate {
  const batch_status* status;
  change_terms terms;
  kernel_start start = kernel_start::after_last;  ///< beside the launch that grants, or after it

  /// Runs are all listed before that launch, but for those that it plans itself.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool lets_ask() const { return !is_late() || status->growing.value == 0; }
  [[nodiscard]] MANGROVE_HOST_DEVICE bool is_late() const { return start == kernel_start::beside_last; }
  /// An acquiring read each time would empty the multiprocessor's cache.
  MANGROVE_HOST_DEVICE void wait() const {
    while (load_relaxed(&status->met) == 0) {
    }
    static_cast<void>(load_acquire(&status->met));
  }
  /// The same for all threads of a block: what it depends on is settled once extents are granted.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool is_open() const { return status->ready(terms); }
};

}  // namespace mangrove::detail
