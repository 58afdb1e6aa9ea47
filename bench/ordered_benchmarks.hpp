#pragma once

#include <benchmark/benchmark.h>

#include <array>
#include <memory>
#include <string>

#include "ordered_case.hpp"
#include "support/registry.hpp"

/// @file
/// Rates of ordered containers. Include the backend's `for_each_tile` and `seconds_of` before.

namespace mangrove::bench {

/// The benchmarks of one type of container. Containers are made when the first benchmark that needs them runs.
template <backend B, class Container>
class ordered_benchmarks {
 public:
  /// @param bits the logarithm of the number of keys
  ordered_benchmarks(const resources<B>& res, std::string name, int bits)
      : res_(res), name_(std::move(name)), bits_(bits) {}

  /// Registers builds, batches and queries.
  void add_all() {
    add_builds();
    add_batches();
    add_queries();
  }

 protected:
  using case_type = ordered_case<B, Container>;
  using key_type = typename Container::key_type;

  /// Logarithms of batch sizes; those above the container's are left out.
  static constexpr std::array<int, 8> batch_bits = {10, 14, 16, 18, 20, 22, 23, 24};

  /// Registers `timed(with, state)`, which gives the seconds of one iteration over `count` things.
  template <class Timed>
  void add(const std::string& what, std::size_t count, const Timed& timed) {
    add_benchmark(name_, what, [=, this](benchmark::State& state) {
      case_type& with = get(std::size_t{1} << bits_);
      with.fill();  // whatever the benchmark before left
      for (auto _ : state) state.SetIterationTime(timed(with));
      report_rate(state, count, "keys/s");
      state.counters["bytes/key"] = static_cast<double>(with.tree.bytes()) / static_cast<double>(with.count);
    });
  }

  case_type& get(std::size_t size) {
    if (kept_ == nullptr || kept_->count != size) {
      kept_.reset();
      kept_ = std::make_unique<case_type>(res_, size);
    }
    return *kept_;
  }

  /// Gives back the container's memory until it is needed again.
  void drop() { kept_.reset(); }

  [[nodiscard]] int bits() const { return bits_; }
  [[nodiscard]] std::size_t count() const { return std::size_t{1} << bits_; }

  resources<B> res_;
  std::string name_;

 private:
  void add_builds() {
    for (const auto sequence : {key_sequence::sorted, key_sequence::unsorted}) {
      const bool is_sorted = sequence == key_sequence::sorted;
      add(is_sorted ? "bulk_build_sorted" : "bulk_build_unsorted", count(), [=](case_type& with) {
        const key_type* const keys = is_sorted ? with.sorted.data() : with.present.data();
        return seconds_of(with.res,
                          [&] { with.tree.bulk_build(with.res, keys, with.values.data(), with.count, sequence); });
      });
    }
    add("insert_all", count(), [](case_type& with) {
      with.tree.clear(with.res);
      const double seconds = seconds_of(
          with.res, [&] { with.tree.insert(with.res, with.present.data(), with.values.data(), with.count); });
      with.fill();
      return seconds;
    });
  }

  void add_batches() {
    for (const int bits : batch_bits) {
      if (bits > bits_) continue;
      const std::size_t size = std::size_t{1} << bits;
      add(sized("insert", bits), size, [=](case_type& with) {
        with.fill();
        return seconds_of(with.res, [&] { with.tree.insert(with.res, with.absent.data(), with.values.data(), size); });
      });
      add(sized("assign", bits), size, [=](case_type& with) {
        with.fill();
        return seconds_of(with.res,
                          [&] { with.tree.insert_or_assign(with.res, with.present.data(), with.values.data(), size); });
      });
    }
    for (const int percent : {1, 10, 50}) {
      const std::size_t size = count() / 100 * static_cast<std::size_t>(percent);
      add("erase_percent/" + std::to_string(percent), size, [=](case_type& with) {
        with.fill();
        return seconds_of(with.res, [&] { with.tree.erase(with.res, with.present.data(), size); });
      });
    }
  }

  void add_queries() {
    for (const bool is_sorted : {false, true}) {
      add(is_sorted ? "find_sorted" : "find", count(), [=](case_type& with) {
        const key_type* const keys = is_sorted ? with.sorted.data() : with.present.data();
        return seconds_of(with.res, [&] {
          with.tree.find(with.res, keys, with.count, with.found_values.data(), with.outcomes.data());
        });
      });
    }
    add("successor", count(), [](case_type& with) {
      return seconds_of(with.res, [&] {
        with.tree.successor(with.res, with.present.data(), with.count, with.found_keys.data(), with.found_values.data(),
                            with.outcomes.data());
      });
    });
    for (const std::uint32_t length : {8U, case_type::longest_range}) {
      const std::size_t queries = count() / 4;
      add("range/" + std::to_string(length), queries, [=](case_type& with) {
        return seconds_of(with.res, [&] {
          with.tree.range_up_to(with.res, with.present.data(), with.tops.data(), queries, length, with.counts.data(),
                                with.found_keys.data(), with.found_values.data());
        });
      });
    }
    add("retrieve_all", count(), [](case_type& with) {
      return seconds_of(with.res,
                        [&] { with.tree.retrieve_all(with.res, with.found_keys.data(), with.found_values.data()); });
    });
  }

  int bits_;
  std::unique_ptr<case_type> kept_;
};

}  // namespace mangrove::bench
