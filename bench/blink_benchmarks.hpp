#pragma once

#include "blink_tile_bodies.hpp"
#include "ordered_scaling.hpp"

/// @file
/// Rates of B-link trees. Include the backend's `for_each_tile` and `seconds_of` before.

namespace mangrove::bench {

/// As `ordered_scaling`, and what tiles do.
template <backend B, class Key, class Value>
class blink_benchmarks : public ordered_scaling<B, blink_tree<B, Key, Value>> {
  using tree_type = blink_tree<B, Key, Value>;
  using common = ordered_scaling<B, tree_type>;
  using case_type = ordered_case<B, tree_type>;

 public:
  /// @param bits the logarithm of the number of keys
  /// @param mixed keys in trees under mixed loads @param operations of these
  blink_benchmarks(const resources<B>& res, std::string name, int bits, std::size_t mixed, std::size_t operations)
      : common(res, std::move(name), bits), mixed_(mixed), operations_(operations) {}

  void add_all() {
    common::add_all();
    if constexpr (sizeof(Key) == 4) {  // every width is compiled into kernels
      add_tiles(std::integer_sequence<int, 4, 8>());
    } else {
      add_tiles(std::integer_sequence<int, 8>());
    }
  }

 private:
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
    this->add("ref_insert_all/lanes:" + std::to_string(Width), this->count(), [](case_type& with) {
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
        this->name_, what + "/" + std::to_string(percent) + "/lanes:" + std::to_string(Width),
        [=, this](benchmark::State& state) {
          case_type& with = this->get(mixed_);
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

  std::size_t mixed_;
  std::size_t operations_;
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
