#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "mangrove/core/buffer.hpp"
#include "mangrove/core/resources.hpp"
#include "mangrove/core/run_in_parts.hpp"

namespace mangrove::detail {

/// Sorts in parallel: keys go to buckets between sampled splitters, and a serial sort finishes each bucket. A key's
/// bucket is found without branches, which nothing would predict, and once.
template <class Key>
class sample_sort {
 public:
  sample_sort(const cpu_resources& res, Key* keys, std::size_t count)
      : res_(res),
        keys_(keys),
        count_(count),
        chunks_(static_cast<std::size_t>(res.threads())),
        buckets_(std::min(std::bit_ceil(buckets_per_thread * chunks_), most_buckets)),
        scattered_(res, count),
        bucket_of_(res, count) {}

  /// @param serial_sort sorts a range: `serial_sort(Key*, count)`
  template <class Serial>
  void run(const Serial& serial_sort) {
    choose_splitters(serial_sort);
    count_keys();
    place_buckets();
    scatter();
    each(bucket_begin_.size() - 1, [&](std::size_t bucket) {
      Key* const first = scattered_.data() + bucket_begin_[bucket];
      const std::size_t size = bucket_begin_[bucket + 1] - bucket_begin_[bucket];
      serial_sort(first, size);
      std::copy_n(first, size, keys_ + bucket_begin_[bucket]);
    });
  }

 private:
  static constexpr std::size_t buckets_per_thread = 8;
  static constexpr std::size_t most_buckets = 256;
  static constexpr std::size_t samples_per_bucket = 32;

  /// By bucket.
  using counts = std::array<std::size_t, most_buckets>;

  template <class F>
  void each(std::size_t count, const F& f) {
    run_each(res_, count, f);
  }

  /// Calls `f(i)` for the keys of a chunk.
  template <class F>
  void each_key(std::size_t chunk, const F& f) const {
    const std::size_t last = count_ * (chunk + 1) / chunks_;
    for (std::size_t i = count_ * chunk / chunks_; i < last; ++i) f(i);
  }

  template <class Serial>
  void choose_splitters(const Serial& serial_sort) {
    std::vector<Key> sample(buckets_ * samples_per_bucket);
    for (std::size_t i = 0; i < sample.size(); ++i) sample[i] = keys_[count_ * i / sample.size()];
    serial_sort(sample.data(), sample.size());
    place_splitter(sample, 1, 0, buckets_);
  }

  /// Puts the splitter into a node below which are the buckets [first, last), and those below it.
  void place_splitter(const std::vector<Key>& sample, std::size_t node, std::size_t first, std::size_t last) {
    if (last - first == 1) return;
    const std::size_t middle = (first + last) / 2;
    splitters_[node] = sample[middle * samples_per_bucket];
    place_splitter(sample, 2 * node, first, middle);
    place_splitter(sample, 2 * node + 1, middle, last);
  }

  [[nodiscard]] std::size_t bucket_of(const Key& key) const {
    std::size_t node = 1;
    while (node < buckets_) node = 2 * node + (key < splitters_[node] ? 0 : 1);
    return node - buckets_;
  }

  void count_keys() {
    offsets_.resize(chunks_);
    each(chunks_, [&](std::size_t chunk) {
      counts own{};
      each_key(chunk, [&](std::size_t i) {
        const std::size_t bucket = bucket_of(keys_[i]);
        bucket_of_.data()[i] = static_cast<std::uint8_t>(bucket);
        ++own[bucket];
      });
      offsets_[chunk] = own;
    });
  }

  void place_buckets() {
    std::size_t next = 0;
    for (std::size_t bucket = 0; bucket < buckets_; ++bucket) {
      bucket_begin_.push_back(next);
      for (counts& of_chunk : offsets_) next += std::exchange(of_chunk[bucket], next);
    }
    bucket_begin_.push_back(next);
  }

  void scatter() {
    each(chunks_, [&](std::size_t chunk) {
      counts next = offsets_[chunk];
      each_key(chunk, [&](std::size_t i) { scattered_.data()[next[bucket_of_.data()[i]]++] = keys_[i]; });
    });
  }

  const cpu_resources& res_;
  Key* keys_;
  std::size_t count_;
  std::size_t chunks_;
  std::size_t buckets_;
  buffer<cpu, Key> scattered_;
  buffer<cpu, std::uint8_t> bucket_of_;      ///< by key
  std::array<Key, most_buckets> splitters_;  ///< a binary tree: below node n are 2 n and 2 n + 1
  std::vector<counts> offsets_;              ///< by chunk: first its keys' count, then where they go
  std::vector<std::size_t> bucket_begin_;
};

}  // namespace mangrove::detail
