// Included once per instruction set (see hwy/foreach_target.h).
#if defined(MANGROVE_BS_TREE_FACTORY_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MANGROVE_BS_TREE_FACTORY_INL
#undef MANGROVE_BS_TREE_FACTORY_INL
#else
#define MANGROVE_BS_TREE_FACTORY_INL
#endif

#include <memory>

#include "bs_tree_impl-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mangrove::detail::HWY_NAMESPACE {

/// An engine whose code is compiled for this instruction set.
template <class Key, class Bits>
std::unique_ptr<bs_tree_engine<Key, Bits>> make_engine(const cpu_resources& res, const bs_tree_kind& kind) {
  const bool shared = kind.writers == bs_writers::many;
  if (kind.compressed && shared) return std::make_unique<bs_tree_impl<Key, Bits, true, true>>(res, kind.cache_bytes);
  if (kind.compressed) return std::make_unique<bs_tree_impl<Key, Bits, true, false>>(res, kind.cache_bytes);
  if (shared) return std::make_unique<bs_tree_impl<Key, Bits, false, true>>(res, kind.cache_bytes);
  return std::make_unique<bs_tree_impl<Key, Bits, false, false>>(res, kind.cache_bytes);
}

}  // namespace mangrove::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
