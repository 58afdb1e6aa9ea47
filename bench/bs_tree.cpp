// BS-trees beside absl::btree, std::map and a sorted vector: the paper's workloads A to E, batches, memory.
//   bench_bs_tree [--keys=10000000] [--operations=1000000] [--distributions=uniform,clustered,long_tailed]
//                 [--type=u64|u32|double] [--benchmark_filter=-std_map] --benchmark_out=FILE.json
// Times are those that the busiest thread worked.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <sstream>
#include <utility>

#include "bs_tree_workloads.hpp"

namespace mangrove::bench {
namespace {

constexpr int repetitions = 3;

struct settings {
  std::size_t keys = 10'000'000;
  std::size_t operations = 1'000'000;
  std::string distributions = "uniform,clustered,long_tailed";
  std::string type = "u64";
};

/// Containers of one distribution stay loaded while its benchmarks run, which are neighbours in time so.
template <class Container>
class loaded {
 public:
  Container& get(const std::string& distribution, const key_set<typename Container::key_type>& keys) {
    if (distribution != distribution_) {
      container_ = std::make_unique<Container>();
      container_->load(keys.loaded());
      distribution_ = distribution;
      next = 0;
    }
    return *container_;
  }
  std::size_t next = 0;  ///< spare key to insert next

 private:
  std::string distribution_;
  std::unique_ptr<Container> container_;
};

template <class Key>
class suite {
 public:
  explicit suite(const settings& wanted) : settings_(wanted) {}

  void add(const std::string& distribution) {
    for (const workload& mix : workloads) {
      if (mix.inserts == 0 || mix.ranges != 0) add_mix(vector_, distribution, mix, "sorted_vector");
      add_mix(map_, distribution, mix, "std_map");
      add_mix(absl_, distribution, mix, "absl_btree");
      add_mix(bs_, distribution, mix, "bs_tree");
      add_mix(cbs_, distribution, mix, "cbs_tree");
      add_mix(shared_, distribution, mix, "bs_tree_many_writers");
      add_mix(shared_by_two_, distribution, mix, "bs_tree_many_writers", 2);
    }
    add_batches(bs_, distribution, "bs_tree");
    add_batches(cbs_, distribution, "cbs_tree");
    add_batches(shared_, distribution, "bs_tree_many_writers");
    add_memory<bs_tree<Key>>(distribution, "bs_tree");
    add_memory<cbs_tree<Key>>(distribution, "cbs_tree");
  }

 private:
  template <class F>
  void add_benchmark(const std::string& name, const F& f) {
    benchmark::RegisterBenchmark(name.c_str(), f)->Iterations(1)->Repetitions(repetitions)->UseManualTime();
  }

  const key_set<Key>& keys(const std::string& distribution) {
    if (distribution != distribution_) {
      // All repetitions of all workloads insert keys of their own: less than 9 times as many as there are operations.
      keys_ = std::make_unique<key_set<Key>>(distribution, settings_.keys, 9 * settings_.operations);
      distribution_ = distribution;
    }
    return *keys_;
  }

  template <class Container>
  void add_mix(loaded<Container>& slot, const std::string& distribution, const workload& mix, const std::string& name,
               std::size_t threads = 1) {
    const std::string full = distribution + "/" + mix.name + "/" + name + "/threads:" + std::to_string(threads);
    add_benchmark(full, [=, this, &slot](benchmark::State& state) {
      for (auto _ : state) {
        const key_set<Key>& source = keys(distribution);
        Container& container = slot.get(distribution, source);
        const std::vector<operation<Key>> list = source.operations(mix, settings_.operations, slot.next);
        std::uint64_t sum = 0;
        warm_memory();
        state.SetIterationTime(seconds_of(container, std::span<const operation<Key>>(list), threads, sum));
        benchmark::DoNotOptimize(sum);
      }
      state.SetItemsProcessed(static_cast<std::int64_t>(settings_.operations));
    });
  }

  /// On containers loaded anew: absl's single operations, which batches are compared with, have begun so, too.
  template <class Container>
  void add_batches(loaded<Container>& slot, const std::string& distribution, const std::string& name) {
    add_benchmark(distribution + "/bulk_find/" + name, [=, this, &slot](benchmark::State& state) {
      for (auto _ : state) {
        const key_set<Key>& source = keys(distribution);
        Container& container = slot.get(distribution + " for batches", source);
        std::vector<Key> wanted;
        for (const operation<Key>& each : source.operations(workloads[0], settings_.operations, slot.next)) {
          wanted.push_back(each.key);
        }
        value_list values(wanted.size());
        std::vector<std::uint8_t> found(wanted.size());
        const double start = thread_seconds();
        container.find_all(wanted, values, found);
        state.SetIterationTime(thread_seconds() - start);
      }
      state.SetItemsProcessed(static_cast<std::int64_t>(settings_.operations));
    });
    add_benchmark(distribution + "/bulk_insert/" + name, [=, this, &slot](benchmark::State& state) {
      for (auto _ : state) {
        const key_set<Key>& source = keys(distribution);
        Container& container = slot.get(distribution + " for batches", source);
        const std::size_t first = std::exchange(slot.next, slot.next + settings_.operations);
        const std::span<const Key> fresh = source.fresh().subspan(first, settings_.operations);
        const value_list values = values_of(fresh);
        warm_memory();
        const double start = thread_seconds();
        benchmark::DoNotOptimize(container.insert_all(fresh, values));
        state.SetIterationTime(thread_seconds() - start);
      }
      state.SetItemsProcessed(static_cast<std::int64_t>(settings_.operations));
    });
  }

  /// Time of loading a set, and bytes a key in its nodes.
  template <class Set>
  void add_memory(const std::string& distribution, const std::string& name) {
    add_benchmark(distribution + "/load_set/" + name, [=, this](benchmark::State& state) {
      for (auto _ : state) {
        const std::vector<Key>& sorted = keys(distribution).loaded();
        Set set{cpu_resources(1)};
        const double start = thread_seconds();
        set.bulk_load(sorted);
        state.SetIterationTime(thread_seconds() - start);
        state.counters["bytes_per_key"] =
            static_cast<double>(set.statistics().node_bytes) / static_cast<double>(sorted.size());
      }
      state.SetItemsProcessed(static_cast<std::int64_t>(settings_.keys));
    });
  }

  settings settings_;
  std::string distribution_;
  std::unique_ptr<key_set<Key>> keys_;
  loaded<sorted_vector<Key>> vector_;
  loaded<standard_map<std::map<Key, std::uint64_t>>> map_;
  loaded<standard_map<absl::btree_map<Key, std::uint64_t>>> absl_;
  loaded<mangrove_tree<bs_tree<Key, std::uint64_t>>> bs_;
  loaded<mangrove_tree<cbs_tree<Key, std::uint64_t>>> cbs_;
  loaded<mangrove_tree<bs_tree<Key, std::uint64_t, bs_writers::many>>> shared_;
  loaded<mangrove_tree<bs_tree<Key, std::uint64_t, bs_writers::many>>> shared_by_two_;  // so that both start alike
};

settings settings_from(int argc, char** argv) {
  settings wanted;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::string value = argument.substr(argument.find('=') + 1);
    if (argument.starts_with("--keys=")) wanted.keys = std::strtoull(value.c_str(), nullptr, 10);
    if (argument.starts_with("--operations=")) wanted.operations = std::strtoull(value.c_str(), nullptr, 10);
    if (argument.starts_with("--distributions=")) wanted.distributions = value;
    if (argument.starts_with("--type=")) wanted.type = value;
  }
  return wanted;
}

template <class Key>
void run(const settings& wanted) {
  suite<Key> all(wanted);
  std::istringstream names(wanted.distributions);
  for (std::string name; std::getline(names, name, ',');) all.add(name);
  benchmark::RunSpecifiedBenchmarks();
}

}  // namespace
}  // namespace mangrove::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const auto wanted = mangrove::bench::settings_from(argc, argv);
  if (wanted.type == "u64") mangrove::bench::run<std::uint64_t>(wanted);
  if (wanted.type == "u32") mangrove::bench::run<std::uint32_t>(wanted);
  if (wanted.type == "double") mangrove::bench::run<double>(wanted);
}
