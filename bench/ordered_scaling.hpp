#pragma once

#include "ordered_benchmarks.hpp"
#include "queried_container.hpp"

/// @file
/// How rates of ordered containers follow from sizes: of the container, of batches, and of batches beside it. Include
/// the backend's `for_each_tile` and `seconds_of` before.

namespace mangrove::bench {

/// As `ordered_benchmarks`, and: builds from nothing in batches, batches that are inserted by building anew, and
/// queries of containers of all sizes.
template <backend B, class Container>
class ordered_scaling : public ordered_benchmarks<B, Container> {
  using common = ordered_benchmarks<B, Container>;
  using typename common::case_type;
  using queried_type = queried_container<B, Container>;

 public:
  using common::common;

  void add_all() {
    common::add_all();
    add_incremental_builds();
    add_rebuilds();
    add_queries_by_size();
  }

 private:
  static constexpr int most_batches_bits = 12;  ///< builds in more batches would take long
  static constexpr int most_queries_bits = 22;
  static constexpr int least_size_bits = 16;

  /// All keys into an empty container that keeps its memory, batch after batch.
  void add_incremental_builds() {
    const int all_bits = this->bits();
    for (int bits = std::max(10, all_bits - most_batches_bits); bits <= all_bits; bits += 2) {
      const std::size_t size = std::size_t{1} << bits;
      this->add(sized("incremental_build", bits), this->count(), [size](case_type& with) {
        with.tree.clear(with.res);
        const double seconds = seconds_of(with.res, [&with, size] {
          for (std::size_t first = 0; first < with.count; first += size) {
            with.tree.insert(with.res, with.present.data() + first, with.values.data() + first, size);
          }
        });
        with.fill();
        return seconds;
      });
    }
  }

  /// What inserting a batch is up against. Rates are of the batch's keys, as those of insert are.
  void add_rebuilds() {
    for (const int bits : common::batch_bits) {
      if (bits > this->bits()) continue;
      const std::size_t size = std::size_t{1} << bits;
      this->add(sized("rebuild_sorted", bits), size, [size](case_type& with) { return rebuild_sorted(with, size); });
      this->add(sized("rebuild_appended", bits), size, [size](case_type& with) {
        with.fill();
        return seconds_of(with.res, [&with, size] { rebuild_appended(with, size); });
      });
    }
  }

  /// Builds from all keys, old and new, that somebody has put in order before: the least that building anew can cost.
  static double rebuild_sorted(case_type& with, std::size_t size) {
    with.fill();
    with.tree.insert(with.res, with.absent.data(), with.values.data(), size);
    const std::size_t all = with.tree.retrieve_all(with.res, with.found_keys.data(), with.found_values.data());
    return seconds_of(with.res, [&with, all] {
      with.tree.bulk_build(with.res, with.found_keys.data(), with.found_values.data(), all, key_sequence::sorted);
    });
  }

  /// Takes the keys out, appends the batch, and builds from both: what a program can do without a merge of its own.
  static void rebuild_appended(case_type& with, std::size_t size) {
    const std::size_t old = with.tree.retrieve_all(with.res, with.found_keys.data(), with.found_values.data());
    copy(with.res, with.found_keys.data() + old, with.absent.data(), size);
    copy(with.res, with.found_values.data() + old, with.values.data(), size);
    with.tree.bulk_build(with.res, with.found_keys.data(), with.found_values.data(), old + size);
  }

  void add_queries_by_size() {
    for (int bits = least_size_bits; bits <= this->bits(); bits += 2) {
      add_query("find_in", bits, [](queried_type& with) { with.find(with.wanted); });
      add_query("find_sorted_in", bits, [](queried_type& with) { with.find(with.sorted); });
      add_query("successor_in", bits, [](queried_type& with) { with.find_successors(); });
      add_query("range8_in", bits, [](queried_type& with) { with.find_ranges(); });
    }
  }

  template <class Query>
  void add_query(const std::string& what, int bits, const Query& query) {
    add_benchmark(this->name_, sized(what, bits), [this, bits, query](benchmark::State& state) {
      queried_type& with = queried(std::size_t{1} << bits);
      for (auto _ : state) {
        state.SetIterationTime(seconds_of(with.res, [&with, &query] { query(with); }));
      }
      report_rate(state, with.queries, "queries/s");
      state.counters["bytes/key"] = static_cast<double>(with.tree.bytes()) / static_cast<double>(with.count);
    });
  }

  queried_type& queried(std::size_t size) {
    if (queried_ == nullptr || queried_->count != size) {
      queried_.reset();
      this->drop();
      const std::size_t queries = std::size_t{1} << std::min(this->bits(), most_queries_bits);
      queried_ = std::make_unique<queried_type>(this->res_, size, queries);
    }
    return *queried_;
  }

  std::unique_ptr<queried_type> queried_;
};

}  // namespace mangrove::bench
