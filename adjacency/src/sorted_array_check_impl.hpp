#pragma once

#include <string>
#include <vector>

#include "sorted_array_impl.hpp"

namespace mangrove::detail {

/// Checks one level of separators against the blocks below. @return what is wrong
template <class Key>
std::string check_level(const std::vector<Key>& below, std::size_t below_count, const std::vector<Key>& level,
                        std::size_t count) {
  constexpr std::size_t slots = array_levels<Key>::slots;
  for (std::size_t i = 0; i < level.size(); ++i) {
    const Key wanted = i + 1 < count ? below[i * slots + slots - 1] : array_levels<Key>::greatest;
    if (level[i] != wanted) return "separator " + std::to_string(i) + " is not the last key below it";
  }
  return count * slots >= below_count && level.size() % slots == 0 ? "" : "a level is too short";
}

template <backend B, class Key>
std::string sorted_array_storage<B, Key>::check(const resources<B>& res) const {
  constexpr std::size_t slots = view_type::slots;
  const view_type all = view();
  std::vector<Key> below = to_host(res, all.keys, (size_ / slots + 1) * slots);
  for (std::size_t i = 1; i < size_; ++i) {
    if (!(below[i - 1] < below[i])) return "keys " + std::to_string(i - 1) + " and the next do not ascend";
  }
  for (std::size_t i = size_; i < below.size(); ++i) {
    if (below[i] != array_levels<Key>::greatest) return "there is something after the last key";
  }
  std::size_t below_count = size_;
  for (std::uint32_t level = 1; level <= all.levels.height; ++level) {
    const std::size_t count = all.levels.separators[level];
    const std::vector<Key> separators =
        to_host(res, all.separators + all.levels.first[level] * slots, (count + slots - 1) / slots * slots);
    const std::string wrong = check_level(below, below_count, separators, count);
    if (!wrong.empty()) return "level " + std::to_string(level) + ": " + wrong;
    below = separators;
    below_count = count;
  }
  return below_count <= slots ? "" : "the top level is more than a block";
}

}  // namespace mangrove::detail
