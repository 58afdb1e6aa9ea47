#include <hwy/contrib/sort/vqsort.h>

#include <functional>
#include <numeric>

#include "each_chunk.hpp"
#include "mangrove/core/bulk.hpp"
#include "packed_pairs.hpp"
#include "parallel_sort.hpp"
#include "radix_sort.hpp"

namespace mangrove {

namespace {

using detail::each_chunk;

constexpr std::size_t parallel_minimum = std::size_t{1} << 15;

template <class Key>
void sort_keys(const cpu_resources& res, Key* keys, std::size_t count) {
  const auto serial = [](Key* first, std::size_t size) { hwy::Sorter()(first, size, hwy::SortAscending()); };
  if (res.threads() == 1 || count < parallel_minimum) {
    serial(keys, count);
  } else {
    detail::sample_sort<Key>(res, keys, count).run(serial);
  }
}

bool suits_radix_sort(std::size_t count, int first_bit, int last_bit) {
  return last_bit - first_bit <= detail::radix_sort::most_bits && count >> 32 == 0;
}

std::size_t chunks_for(const cpu_resources& res, std::size_t count) {
  return count < parallel_minimum ? 1 : static_cast<std::size_t>(res.threads());
}

/// Two passes: `measure(first, last)` of each share, then `write(first, last, sum of the shares before)`.
template <class T, class Measure, class Write>
T two_pass(const cpu_resources& res, std::size_t count, const Measure& measure, const Write& write) {
  const std::size_t chunks = chunks_for(res, count);
  std::vector<T> before(chunks + 1, 0);
  if (chunks == 1) {
    before[1] = write(std::size_t{0}, count, T{0});
    return before[1];
  }
  each_chunk(res, chunks, count, [&](auto chunk, auto first, auto last) { before[chunk + 1] = measure(first, last); });
  std::partial_sum(before.begin(), before.end(), before.begin());
  each_chunk(res, chunks, count, [&](auto chunk, auto first, auto last) { write(first, last, before[chunk]); });
  return before[chunks];
}

template <class T>
void scan(const cpu_resources& res, const T* from, T* to, std::size_t count) {
  to[count] = two_pass<T>(
      res, count, [&](auto first, auto last) { return std::accumulate(from + first, from + last, T{0}); },
      [&](auto first, auto last, T sum) {
        for (std::size_t i = first; i < last; ++i) {
          to[i] = sum;
          sum += from[i];
        }
        return sum;
      });
}

template <class T, class Combine>
T reduce(const cpu_resources& res, const T* values, std::size_t count, const Combine& combine) {
  std::vector<T> of_chunk(chunks_for(res, count));
  each_chunk(res, of_chunk.size(), count, [&](auto chunk, auto first, auto last) {
    of_chunk[chunk] = std::accumulate(values + first, values + last, T{0}, combine);
  });
  return std::accumulate(of_chunk.begin(), of_chunk.end(), T{0}, combine);
}

/// Sorts pairs by comparisons.
template <class From, class To>
void sort_packed(const cpu_resources& res, const From& from, const To& to, std::size_t count) {
  const std::size_t chunks = chunks_for(res, count);
  buffer<cpu, std::uint64_t> both(res, count);
  each_chunk(res, chunks, count, [&](auto, auto first, auto last) {
    for (std::size_t i = first; i < last; ++i) both.data()[i] = from.get(i);
  });
  sort_keys(res, both.data(), count);
  each_chunk(res, chunks, count, [&](auto, auto first, auto last) {
    for (std::size_t i = first; i < last; ++i) to.put(i, both.data()[i]);
  });
}

template <class T>
T largest(const cpu_resources& res, const T* values, std::size_t count) {
  return reduce(res, values, count, [](T a, T b) { return a < b ? b : a; });
}

}  // namespace

void sort(const cpu_resources& res, std::uint64_t* keys, std::size_t count, int first_bit, int last_bit) {
  if (!suits_radix_sort(count, first_bit, last_bit)) return sort_keys(res, keys, count);
  buffer<cpu, std::uint64_t> spare(res, count);
  sort(res, keys, spare.data(), count, first_bit, last_bit);
}

void sort(const cpu_resources& res, std::uint64_t* keys, std::uint64_t* spare, std::size_t count, int first_bit,
          int last_bit) {
  if (!suits_radix_sort(count, first_bit, last_bit)) return sort_keys(res, keys, count);
  detail::radix_sort(res, count).run(keys, spare, first_bit, last_bit);
}

void sort_pairs(const cpu_resources& res, std::uint64_t* keys, std::uint32_t* values, std::size_t count, int) {
  buffer<cpu, hwy::uint128_t> wide(res, count);  // the position in the low half makes the sort stable
  const auto pack = [&](auto, auto first, auto last) {
    for (std::size_t i = first; i < last; ++i) {
      wide.data()[i].hi = keys[i];
      wide.data()[i].lo = static_cast<std::uint64_t>(i) << 32 | values[i];
    }
  };
  const auto unpack = [&](auto, auto first, auto last) {
    for (std::size_t i = first; i < last; ++i) {
      keys[i] = wide.data()[i].hi;
      values[i] = static_cast<std::uint32_t>(wide.data()[i].lo);
    }
  };
  each_chunk(res, chunks_for(res, count), count, pack);
  sort_keys(res, wide.data(), count);
  each_chunk(res, chunks_for(res, count), count, unpack);
}

template <class Value>
void sort_pairs(const cpu_resources& res, const std::uint32_t* keys, const Value* values, std::uint32_t* keys_to,
                Value* values_to, std::size_t count, int last_bit) {
  const detail::packed_pairs<Value> from{keys, values};
  const detail::unpacked_pairs<Value> to{values, keys_to, values_to};
  constexpr int first_bit = detail::packed_pairs<Value>::first_bit;
  const int end_bit = first_bit + last_bit;
  if (!suits_radix_sort(count, first_bit, end_bit)) return sort_packed(res, from, to, count);
  detail::radix_sort sorter(res, count);
  if (sorter.takes_one_pass(last_bit)) return sorter.run(from, to, first_bit, end_bit);
  buffer<cpu, std::uint64_t> spare(res, count);
  sorter.run(from, detail::key_array{spare.data()}, to, first_bit, end_bit);
}

template void sort_pairs(const cpu_resources&, const std::uint32_t*, const std::uint32_t*, std::uint32_t*,
                         std::uint32_t*, std::size_t, int);
template void sort_pairs(const cpu_resources&, const std::uint32_t*, const word_group<2>*, std::uint32_t*,
                         word_group<2>*, std::size_t, int);
template void sort_pairs(const cpu_resources&, const std::uint32_t*, const word_group<3>*, std::uint32_t*,
                         word_group<3>*, std::size_t, int);

void exclusive_scan(const cpu_resources& res, const std::uint32_t* from, std::uint32_t* to, std::size_t count) {
  scan(res, from, to, count);
}

void exclusive_scan(const cpu_resources& res, const std::uint64_t* from, std::uint64_t* to, std::size_t count) {
  scan(res, from, to, count);
}

std::size_t select(const cpu_resources& res, const std::uint8_t* flags, std::uint32_t* to, std::size_t count) {
  return two_pass<std::size_t>(
      res, count,
      [&](auto first, auto last) {
        std::size_t selected = 0;
        for (std::size_t i = first; i < last; ++i) selected += flags[i] != 0;
        return selected;
      },
      [&](auto first, auto last, std::size_t next) {
        for (std::size_t i = first; i < last; ++i) {
          if (flags[i] != 0) to[next++] = static_cast<std::uint32_t>(i);
        }
        return next;
      });
}

void select(const cpu_resources& res, const std::uint8_t* flags, std::uint32_t* to, std::size_t count,
            std::uint64_t* selected) {
  *selected = select(res, flags, to, count);
}

std::uint64_t max_value(const cpu_resources& res, const std::uint64_t* values, std::size_t count) {
  return largest(res, values, count);
}

std::uint32_t max_value(const cpu_resources& res, const std::uint32_t* values, std::size_t count) {
  return largest(res, values, count);
}

std::uint64_t sum(const cpu_resources& res, const std::uint64_t* values, std::size_t count) {
  return reduce(res, values, count, std::plus<>());
}

}  // namespace mangrove
