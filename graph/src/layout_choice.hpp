#pragma once

#include <algorithm>
#include <cstdint>

#include "mangrove/graph/detail/tree_leaves.hpp"
#include "mangrove/graph/graph_options.hpp"

namespace mangrove::detail {

/// How a vertex will keep its neighbours after a batch.
struct layout_choice {
  adjacency_kind kind;
  std::uint32_t granules;  ///< of its extent, a tree's directory; 0 when inlined
  bool same_extent;        ///< the extent it has stays; of a tree the leaves, but the directory may change
};

/// What of a graph's options decides how neighbours are kept.
struct adjacency_rule {
  adjacency_policy policy;
  std::uint32_t tree_from = no_degree;  ///< neighbours from which a vertex is a tree

  static adjacency_rule of(const graph_options& options) {
    const std::uint32_t tree_from = options.adjacency == adjacency_policy::tree        ? 0
                                    : options.adjacency == adjacency_policy::by_degree ? options.tree_from
                                                                                       : no_degree;
    return {options.adjacency, tree_from};
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE bool makes_trees() const { return tree_from != no_degree; }
};

/// Neighbouring degrees.
struct degree_range {
  std::uint32_t least;
  std::uint32_t count;
};

/// The adjacency policy: which representation for which degree, and when to change it.
///
/// Between growing and shrinking lies a factor of 1.4 or more, so that no vertex flips back and forth at a border.
template <class Bits>
class layout_policy {
  using layout = entry_layout<Bits>;

 public:
  /// Largest share of a table's slots in use; above it probes get long.
  static constexpr std::uint32_t max_load_percent = 88;
  /// Largest load of a table that is made at once, and of one that has outgrown the last one and is likely to grow
  /// again: a lower one where it grows by no more than a share of its neighbours a batch, for then few tables are
  /// outgrown at a time, and what they leave serves the next ones.
  static constexpr std::uint32_t built_load_percent = 80;
  static constexpr std::uint32_t grown_load_percent = 65;
  static constexpr std::uint32_t slowly_grown_load_percent = 45;
  static constexpr std::uint32_t slow_growth_share = 16;
  /// Below this share of slots in use, a table is made smaller.
  static constexpr std::uint32_t min_load_percent = 30;
  /// Tombstones beyond this share of slots are flushed.
  static constexpr std::uint32_t tombstone_percent = 25;

  /// Keys of a tree's leaf when leaves are made at once or an overfull one is dealt out.
  static constexpr std::uint32_t built_leaf = (tree_leaves<Bits>::slots * built_load_percent + 99) / 100;
  /// Below this share of slots in use, a tree is built anew.
  static constexpr std::uint32_t min_leaf_percent = 40;

  static constexpr std::uint32_t largest_array = layout::array_slots(granules_per_slab);

  MANGROVE_HOST_DEVICE explicit layout_policy(const adjacency_rule& rule) : rule_(rule) {}

  /// Leaves that are made for so many keys.
  MANGROVE_HOST_DEVICE static constexpr std::uint32_t leaves_for(std::uint32_t keys) {
    return keys <= tree_leaves<Bits>::slots ? 1 : keys / built_leaf + (keys % built_leaf != 0 ? 1 : 0);
  }

  /// @param degree neighbours after the batch
  /// @param erased neighbours that the batch erases, each of which may leave a tombstone
  [[nodiscard]] MANGROVE_HOST_DEVICE layout_choice choose(const vertex_entry& old, std::uint32_t degree,
                                                          std::uint32_t erased) const {
    if (degree <= layout::inline_capacity) return {adjacency_kind::inlined, 0, false};
    const adjacency_kind was = layout::kind(old);
    if (degree >= (was == adjacency_kind::tree ? rule_.tree_from / 2 : rule_.tree_from)) return tree(old, was, degree);
    if (rule_.policy == adjacency_policy::by_degree) {
      const std::uint32_t limit = was == adjacency_kind::hash ? largest_array / 2 : largest_array;
      if (degree <= limit) return array(old, was, degree);
    }
    return table(old, was, degree, erased);
  }

  /// Whether a vertex can take up to `inserts` new neighbours and lose up to `erases` where its neighbours are.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool fits_in_place(const vertex_entry& old, std::uint32_t inserts,
                                                        std::uint32_t erases) const {
    const std::uint32_t degree = old.degree + inserts;
    const bool inlined = old.degree <= layout::inline_capacity;
    const bool is_tree = layout::kind_of_extent(old) == adjacency_kind::tree;
    return (degree <= layout::inline_capacity) | (!inlined & !is_tree & keeps_extent(old, degree, erases));
  }

  /// Whether `choose` would let the extent stay: with one branch, for nothing could predict more.
  /// Means something only where old has an extent, of an array or a table, and degree is beyond the inline capacity.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool keeps_extent(const vertex_entry& old, std::uint32_t degree,
                                                       std::uint32_t erased) const {
    const bool arrays = rule_.policy == adjacency_policy::by_degree;
    const bool no_tree = degree < rule_.tree_from;
    if (layout::kind_of_extent(old) == adjacency_kind::hash) {
      return no_tree & !(arrays & (degree <= largest_array / 2)) & table_stays(old, degree, erased);
    }
    return no_tree & arrays & (degree <= largest_array) & array_suits(old.granules(), degree);
  }

  /// The degrees with which `keeps_extent` lets an array in so many granules, at most a slab's, stay.
  [[nodiscard]] degree_range array_degrees(std::uint32_t granules) const {
    const std::uint32_t least = layout::array_slots((granules + 1) / 2 - 1) + 1;
    const std::uint32_t end = std::min(layout::array_slots(granules) + 1, rule_.tree_from);
    return {least, rule_.policy == adjacency_policy::by_degree && least < end ? end - least : 0};
  }

  /// Whether an array in an extent of so many granules is neither too small nor more than twice too large.
  [[nodiscard]] MANGROVE_HOST_DEVICE static bool array_suits(std::uint32_t granules, std::uint32_t degree) {
    return (degree <= layout::array_slots(granules)) & (degree > layout::array_slots((granules + 1) / 2 - 1));
  }

 private:
  [[nodiscard]] MANGROVE_HOST_DEVICE static bool table_stays(const vertex_entry& old, std::uint32_t degree,
                                                             std::uint32_t erased) {
    const std::uint64_t hundredths = std::uint64_t{degree} * 100;
    const std::uint64_t slots = std::uint64_t{old.granules() / granules_per_slab} * layout::table::slots;
    const bool roomy = hundredths <= slots * max_load_percent;
    const bool filled = (hundredths >= slots * min_load_percent) | (old.granules() == granules_per_slab);
    return roomy & filled & ((std::uint64_t{old.tombstones()} + erased) * 100 <= slots * tombstone_percent);
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE static layout_choice array(const vertex_entry& old, adjacency_kind was,
                                                                std::uint32_t degree) {
    std::uint32_t granules = (degree * layout::bytes_per_neighbor + granule_bytes - 1) / granule_bytes;
    while (layout::array_slots(granules) < degree) ++granules;  // what alignment takes
    if (was == adjacency_kind::array && array_suits(old.granules(), degree)) {
      return {adjacency_kind::array, old.granules(), true};
    }
    return {adjacency_kind::array, granules, false};
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE static layout_choice table(const vertex_entry& old, adjacency_kind was,
                                                                std::uint32_t degree, std::uint32_t erased) {
    if (was == adjacency_kind::hash && table_stays(old, degree, erased)) {
      return {adjacency_kind::hash, old.granules(), true};
    }
    const bool grows = degree > old.degree;
    const std::uint64_t now =
        was == adjacency_kind::hash && grows ? slabs_when_grown(old, degree) : slabs_for<built_load_percent>(degree);
    const std::uint64_t soon = grows ? slabs_for<max_load_percent>(degree_soon(old.degree, degree)) : 0;
    const std::uint64_t slabs = soon > now ? soon : now;
    const auto granules = static_cast<std::uint32_t>(slabs * granules_per_slab);
    return {adjacency_kind::hash, size_class_granules(size_class_of(granules)), false};
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint64_t slabs_when_grown(const vertex_entry& old,
                                                                           std::uint32_t degree) {
    const bool slowly = std::uint64_t{degree - old.degree} * slow_growth_share <= degree;
    return slowly ? slabs_for<slowly_grown_load_percent>(degree) : slabs_for<grown_load_percent>(degree);
  }

  /// @tparam Percent of the slots may be in use; a constant, since CUDA calls a function of some eighty
  /// instructions to divide by anything else
  template <std::uint32_t Percent>
  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint64_t slabs_for(std::uint64_t degree) {
    constexpr std::uint64_t hundredths = std::uint64_t{Percent} * layout::table::slots;
    return (degree * 100 + hundredths - 1) / hundredths;
  }

  /// How many neighbours a vertex will have that goes on growing like this, after three quarters of a batch to three
  /// more: which of four numbers is chosen by the degree, so that tables that were made together are not outgrown
  /// together. At most twice as many as now; and who had hardly any before shows no growth that could go on.
  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint64_t degree_soon(std::uint64_t before, std::uint64_t now) {
    const std::uint64_t grown = now - before;
    if (grown > 4 * before) return now;
    const std::uint64_t more = (now % 4 + 1) * 3 * grown / 4;
    return now + (more < now ? more : now);
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE static layout_choice tree(const vertex_entry& old, adjacency_kind was,
                                                               std::uint32_t degree) {
    if (was == adjacency_kind::tree) {
      const std::uint64_t slots = std::uint64_t{old.leaves()} * tree_leaves<Bits>::slots;
      const bool filled = old.leaves() == 1 || std::uint64_t{degree} * 100 >= slots * min_leaf_percent;
      if (filled) return {adjacency_kind::tree, old.granules(), true};
    }
    return {adjacency_kind::tree, tree_directory::granules_for(leaves_for(degree)), false};
  }

  adjacency_rule rule_;
};

}  // namespace mangrove::detail
