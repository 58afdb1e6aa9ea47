#pragma once

#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "bs_tree_containers.hpp"

namespace mangrove::bench {

/// Seconds that the calling thread has worked. On a shared machine the wall clock measures the neighbours.
inline double thread_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Touches memory and gives it back to the kernel, for the next operations to get. A virtual machine's host may take
/// milliseconds to hand out 2 MiB that the machine has not used lately; containers that grow would measure that.
inline void warm_memory() {
  constexpr std::size_t bytes = std::size_t{64} << 20;
  constexpr std::size_t page = 4096;
  void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return;
  madvise(at, bytes, MADV_HUGEPAGE);
  for (std::size_t i = 0; i < bytes; i += page) static_cast<volatile char*>(at)[i] = 1;
  munmap(at, bytes);
}

/// Any integer, or any number in [0, 1). @param bits random ones
template <class Key>
Key uniform_key(std::uint64_t bits) {
  if constexpr (std::is_floating_point_v<Key>) return std::ldexp(static_cast<Key>(bits >> 11), -53);
  return static_cast<Key>(bits);
}

/// Distinct keys in random order: uniform over all integers, or over [0, 1); clusters of about a thousand, a few
/// hundred apart within (32-bit keys: a few); or log-normal, whose few greatest are as far apart as the many least are
/// close.
template <class Key>
std::vector<Key> make_keys(const std::string& distribution, std::size_t count, std::mt19937_64& random) {
  constexpr bool real = std::is_floating_point_v<Key>;
  constexpr std::uint64_t width = sizeof(Key) == 8 ? 200000 : 2000;    // of a cluster
  constexpr double median = real ? 1 : sizeof(Key) == 8 ? 1e13 : 1e8;  // of the log-normal keys
  constexpr double greatest = real ? 1e300 : static_cast<double>(std::numeric_limits<Key>::max() / 2);
  std::lognormal_distribution<double> tail(0, 2);
  std::vector<Key> keys;
  std::uint64_t cluster = 0;
  while (keys.size() < count) {
    const std::size_t missing = count - keys.size() + count / 100;
    for (std::size_t i = 0; i < missing; ++i) {
      const std::uint64_t bits = random();
      if (distribution == "uniform") keys.push_back(uniform_key<Key>(bits));
      if (distribution == "long_tailed") {
        const double key = tail(random) * median;
        if (key < greatest) keys.push_back(static_cast<Key>(key));
      }
      if (distribution == "clustered") {
        if (i % 1000 == 0) cluster = random() >> (real ? 11 : 0);
        keys.push_back(static_cast<Key>(cluster + bits % width));
      }
    }
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  }
  std::shuffle(keys.begin(), keys.end(), random);
  keys.resize(count);
  return keys;
}

enum class action : std::uint8_t { read, insert, erase, range };

template <class Key>
struct operation {
  Key key;
  Key high;  ///< of a range
  action what;
};

/// The paper's workloads; percentages of reads, inserts, erases and ranges.
struct workload {
  const char* name;
  unsigned reads, inserts, erases, ranges;
};
inline constexpr workload workloads[] = {
    {"A", 100, 0, 0, 0}, {"B", 0, 100, 0, 0}, {"C", 50, 50, 0, 0}, {"D", 0, 5, 0, 95}, {"E", 60, 35, 5, 0}};

/// The keys of one distribution: those loaded, and a supply of others to insert.
template <class Key>
class key_set {
 public:
  key_set(const std::string& distribution, std::size_t loaded, std::size_t spare) {
    std::mt19937_64 random(loaded);
    fresh_ = make_keys<Key>(distribution, loaded + spare, random);
    loaded_.assign(fresh_.begin(), fresh_.begin() + static_cast<std::ptrdiff_t>(loaded));
    fresh_.erase(fresh_.begin(), fresh_.begin() + static_cast<std::ptrdiff_t>(loaded));
    std::sort(loaded_.begin(), loaded_.end());
  }

  [[nodiscard]] const std::vector<Key>& loaded() const { return loaded_; }
  [[nodiscard]] std::span<const Key> fresh() const { return fresh_; }

  /// @param next the first spare key that has not been inserted yet; moves on
  std::vector<operation<Key>> operations(const workload& mix, std::size_t count, std::size_t& next) const {
    std::mt19937_64 random(next + 1);
    std::vector<operation<Key>> list(count);
    constexpr std::size_t span = 153;
    for (operation<Key>& each : list) {
      const std::size_t i = random() % (loaded_.size() - span);
      const unsigned choice = random() % 100;
      each = {loaded_[i], loaded_[i + span - 1], action::read};
      if (choice >= mix.reads) each.what = action::insert;
      if (choice >= mix.reads + mix.inserts) each.what = action::erase;
      if (choice >= mix.reads + mix.inserts + mix.erases) each.what = action::range;
      if (each.what == action::insert) each.key = fresh_[next++ % fresh_.size()];
    }
    return list;
  }

 private:
  std::vector<Key> loaded_;
  std::vector<Key> fresh_;
};

/// @return something that depends on all results
template <class Container, class Key = typename Container::key_type>
std::uint64_t perform(Container& container, std::span<const operation<Key>> list) {
  std::uint64_t sum = 0;
  range_result<Key> result;
  for (const operation<Key>& each : list) {
    switch (each.what) {
      case action::read:
        sum += container.find(each.key);
        break;
      case action::insert:
        sum += container.insert(each.key);
        break;
      case action::erase:
        sum += container.erase(each.key);
        break;
      case action::range:
        sum += container.range(each.key, each.high, result) + result.values[7];
        break;
    }
  }
  return sum;
}

/// Splits the operations among threads. @return the seconds that the busiest one worked
template <class Container, class Key = typename Container::key_type>
double seconds_of(Container& container, std::span<const operation<Key>> list, std::size_t threads, std::uint64_t& sum) {
  std::vector<double> seconds(threads);
  std::vector<std::uint64_t> sums(threads);
  std::vector<std::thread> running;
  for (std::size_t t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      const std::size_t first = list.size() * t / threads;
      const std::size_t last = list.size() * (t + 1) / threads;
      const double start = thread_seconds();
      sums[t] = perform(container, list.subspan(first, last - first));
      seconds[t] = thread_seconds() - start;
    });
  }
  for (std::thread& each : running) each.join();
  for (const std::uint64_t each : sums) sum += each;
  return *std::max_element(seconds.begin(), seconds.end());
}

}  // namespace mangrove::bench
