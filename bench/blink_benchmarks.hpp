#pragma once

#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "blink_case.hpp"
#include "support/registry.hpp"

/// @file
/// Rates of B-link trees. Include the backend's `for_each_tile` and `seconds_of` before.

namespace mangrove::bench {

/// The benchmarks of one combination of types. Trees are made when the first benchmark that needs them runs.
template <backend B, class Key, class Value>
class blink_benchmarks {
  using case_type = blink_case<B, Key, Value>;
  using tree_type = typename case_type::tree_type;

 public:
  /// @param bits the logarithm of the number of keys; `mixed` that of trees under mixed loads, `operations` of these
  blink_benchmarks(const resources<B>& res, std::string name, int bits, std::size_t mixed, std::size_t operations)
      : res_(res), name_(std::move(name)), bits_(bits), mixed_(mixed), operations_(operations) {}

  void add_all() {
    add_builds();
    add_batches();
    add_queries();
    if constexpr (sizeof(Key) == 4) {  // every width is compiled into kernels
      add_tiles(std::integer_sequence<int, 4, 8>());
    } else {
      add_tiles(std::integer_sequence<int, 8>());
    }
  }

 private:
  /// Registers `timed(with, state)`, which gives the seconds of one iteration over `count` things.
  template <class Timed>
  void add(const std::string& what, std::size_t count, const Timed& timed) {
    add_benchmark(name_, what, [=, this](benchmark::State& state) {
      case_type& with = get(std::size_t{1} << bits_);
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

  [[nodiscard]] std::size_t count() const { return std::size_t{1} << bits_; }

  void add_builds() {
    for (const auto sequence : {key_sequence::sorted, key_sequence::unsorted}) {
      const bool is_sorted = sequence == key_sequence::sorted;
      add(is_sorted ? "bulk_build_sorted" : "bulk_build_unsorted", count(), [=](case_type& with) {
        const Key* const keys = is_sorted ? with.sorted.data() : with.present.data();
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
    for (const int bits : {10, 14, 16, 18, 20, 22}) {
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
        const Key* const keys = is_sorted ? with.sorted.data() : with.present.data();
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

  /// What tiles of several widths do: inserts into an empty tree, and mixed loads.
  template <int... Widths>
  void add_tiles(std::integer_sequence<int, Widths...>) {
    (add_inserts<Widths>(), ...);
    for (const std::uint32_t percent : {5U, 50U, 90U}) {
      (add_mixed_load<Widths, insert_and_range<tree_type>>("insert_range8", percent), ...);
      (add_mixed_load<Widths, erase_and_find<tree_type>>("erase_find", percent), ...);
    }
  }

  template <int Width>
  void add_inserts() {
    add("ref_insert_all/lanes:" + std::to_string(Width), count(), [](case_type& with) {
      with.tree.clear(with.res);
      const insert_one<tree_type> body{with.tree.open(with.res, with.count), with.present.data(), with.values.data()};
      const double seconds = seconds_of(with.res, [&] { for_each_tile<Width>(with.res, with.count, body); });
      with.fill();
      return seconds;
    });
  }

  /// @param percent of operations that are updates
  template <int Width, class Body>
  void add_mixed_load(const std::string& what, std::uint32_t percent) {
    add_benchmark(
        name_, what + "/" + std::to_string(percent) + "/lanes:" + std::to_string(Width),
        [=, this](benchmark::State& state) {
          case_type& with = get(mixed_);
          for (auto _ : state) {
            with.fill();
            const Body body{{with.tree.open(with.res, operations_), with.present.data(), with.absent.data(),
                             percent * 10, with.found_keys.data(), with.found_values.data(), with.outcomes.data()}};
            state.SetIterationTime(seconds_of(with.res, [&] { for_each_tile<Width>(with.res, operations_, body); }));
          }
          with.fill();
          report_rate(state, operations_, "operations/s");
        });
  }

  resources<B> res_;
  std::string name_;
  int bits_;
  std::size_t mixed_;
  std::size_t operations_;
  std::unique_ptr<case_type> kept_;
};

/// Runs all benchmarks. The command line starts with the logarithm of the number of keys.
/// @param mixed keys in trees under mixed loads @param operations of mixed loads
template <backend B>
int run_blink_benchmarks(const resources<B>& res, int argc, char** argv, const std::string& usual_bits,
                         std::size_t mixed, std::size_t operations) {
  const int bits = std::stoi(take_names(argc, argv, usual_bits).front());
  benchmark::Initialize(&argc, argv);
  blink_benchmarks<B, std::uint32_t, std::uint32_t> narrow(res, "u32", bits, mixed, operations);
  blink_benchmarks<B, std::uint64_t, std::uint64_t> wide(res, "u64", bits, mixed, operations);
  narrow.add_all();
  wide.add_all();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace mangrove::bench
