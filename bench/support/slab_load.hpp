#pragma once

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mangrove/adjacency/slab_hash_map.hpp"
#include "mangrove/adjacency/slab_hash_set.hpp"
#include "mangrove/core/buffer.hpp"
#include "mangrove/io/counter_random.hpp"
#include "registry.hpp"

/// @file
/// What the load of a slab hash table costs and saves: building to a load, bytes a key, searches for keys that are
/// there and that are not. Include the backend's `seconds_of` before.
///
/// Load is keys over slots. Where slabs are chained, the mean length of a chain in slabs is the same number: keys over
/// the slots of all base slabs; here it cannot pass 1.

namespace mangrove::bench {

/// Loads that are measured, in percent.
inline constexpr int slab_loads[] = {30, 40, 50, 60, 70, 80, 85, 90, 95};

/// A set or a map with 2^bits keys of one type.
template <backend B, class Key, class Value>
struct slab_table_case {
  static constexpr bool is_set = is_none<Value>;
  template <class K, class V>
  struct table_for {
    using type = slab_hash_map<B, K, V>;
  };
  template <class K>
  struct table_for<K, none> {
    using type = slab_hash_set<B, K>;
  };
  using table_type = typename table_for<Key, Value>::type;

  resources<B> res;
  std::size_t count;
  buffer<B, Key> present, absent;
  buffer<B, Value> values;
  buffer<B, std::uint8_t> outcomes;

  slab_table_case(const resources<B>& resource, int bits)
      : res(resource),
        count(std::size_t{1} << bits),
        present(keys(0)),
        absent(keys(count)),
        values(res, count),
        outcomes(res, count) {
    if constexpr (!is_set) fill_bytes(res, values.data(), 1, count);
    res.synchronize();
  }

  /// An empty table in which the keys will have this load.
  [[nodiscard]] table_type make_table(int load_percent) const {
    table_type table(res, 0, {.max_load = 1, .target_load = 1});
    const double slots_per_bucket = static_cast<double>(table.slots()) / static_cast<double>(table.buckets());
    table.rehash(
        res, static_cast<std::size_t>(std::ceil(static_cast<double>(count) * 100 / (load_percent * slots_per_bucket))));
    return table;
  }

  void fill(table_type& table) {
    if constexpr (is_set) {
      table.insert(res, present.data(), count, outcomes.data());
    } else {
      table.insert(res, present.data(), values.data(), count, outcomes.data());
    }
  }

  void search(const table_type& table, const buffer<B, Key>& wanted) {
    if constexpr (is_set) {
      table.contains(res, wanted.data(), count, outcomes.data());
    } else {
      table.find(res, wanted.data(), count, values.data(), outcomes.data());
    }
  }

 private:
  /// Keys that are all different, and from those of another `first`.
  [[nodiscard]] buffer<B, Key> keys(std::size_t first) const {
    const io::random_permutation key(3, 0, std::uint64_t{1} << 32);
    std::vector<Key> made(count);
    for (std::size_t i = 0; i < count; ++i) made[i] = static_cast<Key>(key(first + i));
    auto placed = make_buffer<B>(res, made.data(), count);
    res.synchronize();
    return placed;
  }
};

/// Adds NAME/build/LOAD, NAME/found/LOAD and NAME/absent/LOAD, loads in percent.
template <backend B, class Key, class Value>
void add_slab_load_benchmarks(const resources<B>& res, const std::string& name, int bits) {
  using table_case = slab_table_case<B, Key, Value>;
  const auto kept = std::make_shared<std::unique_ptr<table_case>>();
  const auto get = [=]() -> table_case& {
    if (*kept == nullptr) *kept = std::make_unique<table_case>(res, bits);
    return **kept;
  };
  for (const int load : slab_loads) {
    add_benchmark(name, "build/" + std::to_string(load), [=](benchmark::State& state) {
      table_case& with = get();
      auto table = with.make_table(load);
      for (auto _ : state) {
        table.clear(res);
        state.SetIterationTime(seconds_of(res, [&] { with.fill(table); }));
      }
      if (table.size(res) != with.count) state.SkipWithError("keys are missing");
      report_rate(state, with.count, "keys/s");
      state.counters["load"] = table.load_factor(res);
      state.counters["bytes/key"] = static_cast<double>(table.bytes()) / static_cast<double>(with.count);
    });
    for (const bool found : {true, false}) {
      const std::string what = found ? "found/" : "absent/";
      add_benchmark(name, what + std::to_string(load), [=](benchmark::State& state) {
        table_case& with = get();
        auto table = with.make_table(load);
        with.fill(table);
        const auto& wanted = found ? with.present : with.absent;
        for (auto _ : state) state.SetIterationTime(seconds_of(res, [&] { with.search(table, wanted); }));
        report_rate(state, with.count, "queries/s");
        state.counters["load"] = table.load_factor(res);
      });
    }
  }
}

/// Runs the benchmarks of all kinds of tables. The command line starts with the logarithm of the number of keys.
template <backend B>
int run_slab_load_benchmarks(const resources<B>& res, int argc, char** argv, const std::string& usual_bits) {
  const int bits = std::stoi(take_names(argc, argv, usual_bits).front());
  benchmark::Initialize(&argc, argv);
  add_slab_load_benchmarks<B, std::uint32_t, none>(res, "set32", bits);
  add_slab_load_benchmarks<B, std::uint32_t, std::uint32_t>(res, "map32", bits);
  add_slab_load_benchmarks<B, std::uint64_t, none>(res, "set64", bits);
  add_slab_load_benchmarks<B, std::uint64_t, std::uint64_t>(res, "map64", bits);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace mangrove::bench
