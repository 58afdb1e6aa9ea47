#pragma once

#include <cstddef>
#include <cstdint>

namespace mangrove {

/// How the leaves of a BS-tree keep their keys.
enum class bs_leaves {
  plain,       ///< whole keys
  compressed,  ///< differences of 16, 32 or 64 bits to the leaf's least key
  by_data      ///< whichever suits the keys of a `bulk_load`; plain until then
};

/// How many threads may change a BS-tree at once. Operations that change nothing may always run beside each other.
enum class bs_writers {
  one,  ///< changes run alone
  many  ///< single operations and batches may all run at once, by optimistic lock coupling
};

/// The instructions that search nodes. All give the same tree.
enum class bs_simd {
  best,     ///< the best that this machine has
  avx512,   ///< AVX-512 F, BW, CD, DQ, VL
  avx2,     ///< AVX2, BMI2, FMA
  portable  ///< what every machine has that the build is for
};

/// Options of `bs_tree` and `cbs_tree`.
struct bs_tree_options {
  /// `by_data` lets `bulk_load` choose. A `cbs_tree` is compressed whatever stands here.
  bs_leaves leaves = bs_leaves::plain;
  /// The share of a leaf's slots that `bulk_load` fills, in [0.5, 1]; the free ones are spread between the keys.
  double fill = 0.75;
  bs_simd simd = bs_simd::best;
  /// What the processor's largest cache holds. Single inserts and erases in a tree whose inner nodes above the leaves
  /// take more, as `bulk_load` made them, ask for the leaf that is likely while they wait for the node above it.
  std::size_t cache_bytes = std::size_t{32} << 20;
};

/// What a tree is made of.
struct bs_tree_statistics {
  std::size_t levels = 0;       ///< inner levels above the leaves
  std::size_t inner_nodes = 0;  ///< in use
  std::size_t leaves = 0;       ///< in use, of all widths
  std::size_t leaves_16 = 0;    ///< of them, leaves that keep differences of 16 bits
  std::size_t leaves_32 = 0;    ///< of them, leaves that keep 32 bits a key
  std::size_t free_nodes = 0;   ///< emptied nodes that wait to be used again
  std::size_t node_bytes = 0;   ///< bytes of the nodes in use with their values
};

}  // namespace mangrove
