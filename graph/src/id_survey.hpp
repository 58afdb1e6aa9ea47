#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "id_range.hpp"
#include "mangrove/core/buffer.hpp"
#include "mangrove/core/hash.hpp"
#include "mangrove/core/transfer.hpp"

/// @file
/// How many different ids a batch names, about, and whether they are spread as hashes are. Of ids, those whose hash
/// ends with some zeros are counted, each once. (Linear counting, Whang et al. 1990, of a sample of the ids and not of
/// the updates, where repeats do not matter.)

namespace mangrove::detail {

/// What a batch of inserts is like, as far as is counted on the device.
struct sampled_ids {
  std::uint32_t different;  ///< of the sample
  std::uint32_t prefixes;   ///< different upper bits of the sample's ids
  std::uint32_t loops;      ///< not 0: the batch names self loops
};

/// Body: looks at a stretch of inserts.
template <class Vertex>
struct sample_ids {
  static constexpr std::size_t stretch = 512;
  static constexpr std::size_t most_sampled = std::size_t{1} << 17;  ///< if all ends of a batch differ
  static constexpr std::uint32_t bits = 1 << 20;
  static constexpr std::uint32_t prefixes = 1 << 16;
  static constexpr std::uint32_t words = (bits + prefixes) / 32;

  id_updates<Vertex> updates;
  std::uint64_t others;  ///< bits that are zero in a sampled id's hash
  std::uint32_t* seen;   ///< a bit for each sampled id, or for a few, and then one for each prefix
  sampled_ids* found;

  static std::size_t calls_for(std::size_t size) { return (size + stretch - 1) / stretch; }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::size_t first = i * stretch;
    const std::size_t size = updates.size - first < stretch ? updates.size - first : stretch;
    std::uint32_t firsts = 0;  // a prefix counts as many as one more than a lane has ids
    bool loops = false;
    updates.for_each_read(tile, first, size, [&](Vertex u, Vertex v) {
      firsts += count(u) + count(v);
      loops = loops || u == v;
    });
    tile.add_sum(&found->different, firsts % (1U << 16));
    tile.add_sum(&found->prefixes, firsts >> 16);
    if (loops && load_relaxed(&found->loops) == 0) store_relaxed(&found->loops, 1U);
  }

 private:
  /// 1 for a sampled id that comes first, and 2^16 more for a prefix that does.
  MANGROVE_HOST_DEVICE std::uint32_t count(std::uint64_t id) const {
    const std::uint64_t hash = mix(id);
    if ((hash & others) != 0 || !is_first(static_cast<std::uint32_t>(hash >> 40) % bits)) return 0;
    const auto prefix = static_cast<std::uint32_t>(id >> (8 * sizeof(Vertex) - 16));
    return is_first(bits + prefix) ? 1U + (1U << 16) : 1U;
  }

  MANGROVE_HOST_DEVICE bool is_first(std::uint32_t at) const {
    const std::uint32_t bit = std::uint32_t{1} << at % 32;
    return (load_relaxed(seen + at / 32) & bit) == 0 && (fetch_or(seen + at / 32, bit) & bit) == 0;
  }
};

/// What a batch of inserts is like.
struct id_survey {
  std::size_t different;  ///< not less than the different ids, and as a rule few percent more
  bool loops;             ///< whether it names self loops
  bool spread;            ///< whether ids are all over their type's values, as hashes are: their order tells nothing
};

/// Surveys a batch of inserts, and waits for it. Cost: reads the ids once, and for a few of them a word of 128 KiB.
template <backend B, class Vertex>
id_survey survey_ids(const resources<B>& res, const id_updates<Vertex>& updates) {
  using body = sample_ids<Vertex>;
  const std::size_t share = std::bit_ceil(std::max<std::size_t>(2 * updates.size / body::most_sampled, 1));
  buffer<B, std::uint32_t> seen(res, body::words);
  buffer<B, sampled_ids> found(res, 1);
  fill_bytes(res, seen.data(), 0, seen.size());
  fill_bytes(res, found.data(), 0, 1);
  for_each_task<32>(res, body::calls_for(updates.size), body{updates, share - 1, seen.data(), found.data()});
  const auto [different, prefixes, loops] = read_back(res, found.data());
  const double set = std::min(static_cast<double>(different) / body::bits, 0.99);
  const double sampled = -std::log1p(-set) * body::bits;
  const double at_most = sampled + 4 * std::sqrt(sampled) + 8;  // samples differ by the root of their size
  const double if_spread = -std::expm1(-sampled / body::prefixes) * body::prefixes;
  return {std::min(static_cast<std::size_t>(at_most * static_cast<double>(share)), 2 * updates.size), loops != 0,
          prefixes >= 0.9 * if_spread};
}

}  // namespace mangrove::detail
