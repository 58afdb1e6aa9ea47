#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "mangrove/core/buffer.hpp"
#include "mangrove/core/resources.hpp"
#include "mangrove/core/run_in_parts.hpp"

namespace mangrove::detail {

/// Sorts in parallel: keys go to buckets between sampled splitters, and a serial sort finishes each bucket.
template <class Key>
class sample_sort {
 public:
  sample_sort(const cpu_resources& res, Key* keys, std::size_t count)
      : res_(res), keys_(keys), count_(count), chunks_(res.threads()), scattered_(res, count) {}

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
  static constexpr std::size_t samples_per_bucket = 32;

  template <class F>
  void each(std::size_t count, const F& f) {
    run_each(res_, count, f);
  }

  template <class F>
  void each_key(std::size_t chunk, const F& f) const {
    const std::size_t last = count_ * (chunk + 1) / chunks_;
    for (std::size_t i = count_ * chunk / chunks_; i < last; ++i) f(keys_[i]);
  }

  [[nodiscard]] std::size_t bucket_of(const Key& key) const {
    return std::upper_bound(splitters_.begin(), splitters_.end(), key) - splitters_.begin();
  }

  [[nodiscard]] std::size_t buckets() const { return splitters_.size() + 1; }

  template <class Serial>
  void choose_splitters(const Serial& serial_sort) {
    const std::size_t wanted = buckets_per_thread * chunks_;
    std::vector<Key> sample(wanted * samples_per_bucket);
    for (std::size_t i = 0; i < sample.size(); ++i) sample[i] = keys_[count_ * i / sample.size()];
    serial_sort(sample.data(), sample.size());
    for (std::size_t i = 1; i < wanted; ++i) splitters_.push_back(sample[i * samples_per_bucket]);
  }

  void count_keys() {
    offsets_.assign(chunks_ * buckets(), 0);
    each(chunks_, [&](std::size_t chunk) {
      std::vector<std::size_t> counts(buckets());
      each_key(chunk, [&](const Key& key) { ++counts[bucket_of(key)]; });
      std::copy(counts.begin(), counts.end(), offsets_.begin() + static_cast<std::ptrdiff_t>(chunk * buckets()));
    });
  }

  void place_buckets() {
    std::size_t next = 0;
    for (std::size_t bucket = 0; bucket < buckets(); ++bucket) {
      bucket_begin_.push_back(next);
      for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
        next += std::exchange(offsets_[chunk * buckets() + bucket], next);
      }
    }
    bucket_begin_.push_back(next);
  }

  void scatter() {
    each(chunks_, [&](std::size_t chunk) {
      std::vector<std::size_t> next(offsets_.begin() + static_cast<std::ptrdiff_t>(chunk * buckets()),
                                    offsets_.begin() + static_cast<std::ptrdiff_t>((chunk + 1) * buckets()));
      each_key(chunk, [&](const Key& key) { scattered_.data()[next[bucket_of(key)]++] = key; });
    });
  }

  const cpu_resources& res_;
  Key* keys_;
  std::size_t count_;
  std::size_t chunks_;
  buffer<cpu, Key> scattered_;
  std::vector<Key> splitters_;
  std::vector<std::size_t> offsets_;  ///< per chunk and bucket: first its keys' count, then where they go
  std::vector<std::size_t> bucket_begin_;
};

}  // namespace mangrove::detail
