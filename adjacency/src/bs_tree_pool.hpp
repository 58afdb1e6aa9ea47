#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <type_traits>

#include "mangrove/core/error.hpp"
#include "mangrove/core/mapped_region.hpp"

namespace mangrove::detail {

struct bs_no_mutex {
  void lock() noexcept {}
  void unlock() noexcept {}
};

/// Addresses that start at a huge page's border and become usable by whole huge pages, once they fill one. The kernel
/// gives a huge page only where all of it is usable when it is first touched.
class bs_tree_region {
 public:
  bs_tree_region(const cpu_resources& res, std::size_t capacity) : region_(res, capacity + huge_page) {
    const auto address = reinterpret_cast<std::uintptr_t>(region_.data());
    before_ = (huge_page - address % huge_page) % huge_page;
    data_ = region_.data() + before_;
  }

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t committed() const noexcept { return usable_; }

  /// Makes at least the first `bytes` usable. @throws memory_error
  void commit(std::size_t bytes) {
    if (bytes <= usable_) return;
    const std::size_t unit = bytes <= huge_page / 2 ? small_step : huge_page;
    const std::size_t wanted = (bytes + unit - 1) / unit * unit;
    region_.commit(before_ + wanted);
    usable_ = wanted;
  }

 private:
  static constexpr std::size_t huge_page = std::size_t{2} << 20;
  static constexpr std::size_t small_step = std::size_t{64} << 10;

  host_region region_;
  std::size_t before_ = 0;
  std::byte* data_ = nullptr;
  std::size_t usable_ = 0;
};

/// Nodes of one size in one range of addresses. They never move, and freed ones are handed out again.
///
/// A node's number is its distance from the first address in units, which its user chooses for short address
/// arithmetic: a node's bytes, or a part of them. No node has number 0.
/// @tparam Shared whether several threads take and give at once
template <bool Shared>
class bs_tree_pool {
 public:
  /// @param stride bytes of a node
  /// @param side_stride bytes of what is kept beside each node, 0 for nothing
  /// @param units of a node; more than one only where nothing is kept beside
  bs_tree_pool(const cpu_resources& res, std::size_t stride, std::size_t side_stride, std::uint32_t units = 1)
      : stride_(stride),
        side_stride_(side_stride),
        units_(units),
        capacity_(std::min(most_nodes, std::numeric_limits<std::uint32_t>::max() / units)),
        nodes_(res, capacity_ * stride),
        side_(res, capacity_ * (side_stride == 0 ? 1 : side_stride)),
        free_(res, capacity_ * sizeof(std::uint32_t)) {}

  /// @return the number of a node; its bytes are what they last were, zeros at first. @throws memory_error
  std::uint32_t take() {
    const std::lock_guard<mutex> lock(mutex_);
    if (free_count_ != 0) return free_list()[--free_count_];
    if (last_ + 2 >= capacity_) throw memory_error("a BS-tree has no numbers left for nodes; use several trees");
    const std::size_t total = last_ + 3;  // numbers from 0, and one more that nobody has
    nodes_.commit(total * stride_);
    if (side_stride_ != 0) side_.commit(total * side_stride_);
    free_.commit(total * sizeof(std::uint32_t));
    return static_cast<std::uint32_t>(++last_ * units_);
  }

  void give(std::uint32_t node) noexcept {
    const std::lock_guard<mutex> lock(mutex_);
    free_list()[free_count_++] = node;
  }

  /// Where number 0 would be.
  [[nodiscard]] std::byte* nodes() const noexcept { return nodes_.data(); }
  [[nodiscard]] std::byte* sides() const noexcept { return side_.data(); }
  [[nodiscard]] std::size_t in_use() const noexcept {
    const std::lock_guard<mutex> lock(mutex_);
    return last_ - free_count_;
  }
  [[nodiscard]] std::size_t free_count() const noexcept {
    const std::lock_guard<mutex> lock(mutex_);
    return free_count_;
  }
  [[nodiscard]] std::size_t bytes_in_use() const noexcept { return in_use() * (stride_ + side_stride_); }
  [[nodiscard]] std::size_t bytes() const noexcept {
    const std::lock_guard<mutex> lock(mutex_);
    return nodes_.committed() + side_.committed() + free_.committed();
  }

 private:
  using mutex = std::conditional_t<Shared, std::mutex, bs_no_mutex>;
  static constexpr std::uint32_t most_nodes = std::uint32_t{1} << 28;

  std::uint32_t* free_list() noexcept { return reinterpret_cast<std::uint32_t*>(free_.data()); }

  std::size_t stride_;
  std::size_t side_stride_;
  std::uint32_t units_;
  std::size_t capacity_;
  bs_tree_region nodes_;
  bs_tree_region side_;
  bs_tree_region free_;
  std::size_t last_ = 0;
  std::size_t free_count_ = 0;
  mutable mutex mutex_;
};

}  // namespace mangrove::detail
