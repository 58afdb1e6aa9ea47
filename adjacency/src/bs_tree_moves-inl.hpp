// Which slots of a leaf move to make room, what moving them by vectors is made of, and closing gaps.
// Included once per instruction set (see hwy/foreach_target.h).
#if defined(MANGROVE_BS_TREE_MOVES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MANGROVE_BS_TREE_MOVES_INL
#undef MANGROVE_BS_TREE_MOVES_INL
#else
#define MANGROVE_BS_TREE_MOVES_INL
#endif

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "bs_tree_simd-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mangrove::detail::HWY_NAMESPACE {

/// 0, 1, 2, ... Loaded from memory: Highway 1.0's Iota goes through the stack under GCC, in halves, which stalls the
/// load that follows until every store before it has reached the cache.
template <class T>
struct lane_numbers {
  static constexpr std::size_t count = 64;
  alignas(64) T values[count];

  constexpr lane_numbers() : values() {
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(i);
  }
};
template <class T>
inline constexpr lane_numbers<T> numbered_lanes;

#if HWY_TARGET == HWY_AVX3
/// Bits [low, high) of 64.
HWY_INLINE std::uint64_t bits_between(int low, int high) {
  constexpr std::uint64_t all = ~std::uint64_t{0};
  return _bzhi_u64(all, static_cast<unsigned>(high)) & (all << low);
}

/// Lanes i with `low <= first + i < high`; `low` and `first` are not negative.
template <class D>
HWY_INLINE hn::Mask<D> lanes_between(D, int first, int low, int high) {
  return hn::Mask<D>{static_cast<decltype(hn::Mask<D>::raw)>(bits_between(low, high) >> first)};
}
#else
/// Lanes i with `low <= first + i < high`.
template <class D>
HWY_INLINE hn::Mask<D> lanes_between(D d, int first, int low, int high) {
  const hn::RebindToSigned<D> ds;
  using number = hn::TFromD<decltype(ds)>;
  const auto index = hn::Load(ds, numbered_lanes<number>.values);
  const auto from = hn::Set(ds, static_cast<number>(low - first));
  const auto to = hn::Set(ds, static_cast<number>(high - first));
  return hn::RebindMask(d, hn::AndNot(hn::Lt(index, from), hn::Lt(index, to)));
}
#endif

/// `yes` or `no`, chosen without a branch. Compilers make one of `?:` where they find several of the same condition.
class chooser {
 public:
  HWY_INLINE explicit chooser(bool condition) : mask_(-static_cast<std::int64_t>(condition)) {
#if HWY_COMPILER_GCC || HWY_COMPILER_CLANG
    asm("" : "+r"(mask_));  // from here on, nobody knows that it is 0 or -1
#endif
  }
  [[nodiscard]] HWY_INLINE std::int64_t operator()(std::int64_t yes, std::int64_t no) const {
    return (yes & mask_) | (no & ~mask_);
  }
  /// -1 for yes, 0 for no.
  [[nodiscard]] HWY_INLINE std::int64_t mask() const {
    return mask_;
  }

 private:
  std::int64_t mask_;
};

/// How slots make room: those between a gap and a target take over their left neighbours' content when `right` is all
/// ones, their right neighbours' when it is 0; then the target is free. The gap is right of the target, or they are the
/// same, when moving right; left of it or the same when moving left.
///
/// The nearest gap at or right of the place is taken, or else the nearest left of it. Which one is chosen without a
/// branch.
#if HWY_TARGET == HWY_AVX2
/// As bits, of which one instruction a vector makes masks.
class slot_move {
 public:
  /// @param gaps not 0 @param below the slots left of the place
  HWY_INLINE slot_move(std::uint64_t gaps, const first_slots& below) {
    const std::uint64_t at_right = gaps & ~below.bits;
    const std::uint64_t at_left = gaps & below.bits;
    right = chooser(at_right != 0).mask();
    const std::uint64_t nearest_right = at_right & (~at_right + 1);  // 0 when there is none
    const std::uint64_t nearest_left = (std::uint64_t{1} << 63) >> (std::countl_zero(at_left) & 63);
    gap_ = nearest_right | (nearest_left & static_cast<std::uint64_t>(~right));
    target_ = (below.bits >> (right + 1)) + 1;
    // To the right, twice what lies between, since the target itself does not move; else the negative of it.
    moved_ = (gap_ - target_) * static_cast<std::uint64_t>((right & 3) - 1);
  }

  std::int64_t right;

  [[nodiscard]] HWY_INLINE std::int64_t step() const { return -1 - 2 * right; }
  [[nodiscard]] HWY_INLINE std::int64_t target() const { return std::countr_zero(target_); }
  [[nodiscard]] HWY_INLINE std::uint64_t gap_bit() const { return gap_; }
  [[nodiscard]] HWY_INLINE std::uint64_t target_bit() const { return target_; }
  [[nodiscard]] HWY_INLINE std::uint64_t moved_bits() const { return moved_; }
  /// The slots that move are those in [low, high). When none do, low is not less than high.
  [[nodiscard]] HWY_INLINE int low() const { return std::countr_zero(moved_); }
  [[nodiscard]] HWY_INLINE int high() const { return 64 - std::countl_zero(moved_); }

 private:
  std::uint64_t gap_;
  std::uint64_t target_;
  std::uint64_t moved_;
};
#else
class slot_move {
 public:
  /// @param gaps not 0 @param below the slots left of the place
  HWY_INLINE slot_move(std::uint64_t gaps, const first_slots& below) {
    const std::uint64_t at_right = gaps & ~below.bits;
    const std::uint64_t at_left = gaps & below.bits;
    const chooser choose(at_right != 0);
    right = choose.mask();
    gap_ = choose(static_cast<unsigned>(std::countr_zero(at_right)), 63 - std::countl_zero(at_left));
    target_ = static_cast<std::int64_t>(below.count) + ~right;
  }

  std::int64_t right;

  [[nodiscard]] HWY_INLINE std::int64_t step() const { return -1 - 2 * right; }
  [[nodiscard]] HWY_INLINE std::int64_t target() const { return target_; }
  [[nodiscard]] HWY_INLINE std::int64_t gap() const { return gap_; }
  [[nodiscard]] HWY_INLINE std::uint64_t gap_bit() const { return std::uint64_t{1} << gap_; }
  /// The slots that move are those in [low, high).
  [[nodiscard]] HWY_INLINE int low() const { return static_cast<int>(((target_ + 1) & right) | (gap_ & ~right)); }
  [[nodiscard]] HWY_INLINE int high() const { return static_cast<int>(((gap_ + 1) & right) | (target_ & ~right)); }

 private:
  std::int64_t gap_;
  std::int64_t target_;
};
#endif

/// `yes` in the lanes of `which`, `no` in the others. With AVX2 by the instruction: GCC 12 would compare the mask with
/// zero before.
template <class D>
HWY_INLINE hn::Vec<D> chosen_lanes(D, hn::Mask<D> which, hn::Vec<D> yes, hn::Vec<D> no) {
#if HWY_TARGET == HWY_AVX2
  constexpr int bytes = sizeof(hn::TFromD<D>);
  if constexpr (bytes == 8) asm("vblendvpd %2, %1, %0, %0" : "+x"(no.raw) : "xm"(yes.raw), "x"(which.raw));
  if constexpr (bytes == 4) asm("vblendvps %2, %1, %0, %0" : "+x"(no.raw) : "xm"(yes.raw), "x"(which.raw));
  if constexpr (bytes == 2) asm("vpblendvb %2, %1, %0, %0" : "+x"(no.raw) : "xm"(yes.raw), "x"(which.raw));
  return no;
#else
  return hn::IfThenElse(which, yes, no);
#endif
}

/// Stores the lanes in `which`. AVX2's masked stores are slow on some processors: there the others are stored, too, as
/// what they were.
template <class D>
HWY_INLINE void store_lanes(hn::Vec<D> lanes, hn::Mask<D> which, D d, hn::TFromD<D>* to) {
#if HWY_TARGET == HWY_AVX2
  hn::StoreU(chosen_lanes(d, which, lanes, hn::LoadU(d, to)), d, to);
#else
  hn::BlendedStore(lanes, which, d, to);
#endif
}

/// Moves slots [low, high) of many cache lines by `step`: touches only those between `low` and `high`. Gaps lie close
/// together, so that the loop's end is nearly always the same.
template <int Count, class T>
HWY_INLINE void move_far_slots(T* slots, int low, int high, int step) {
  const line_tag<T> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const int right = step > 0 ? 1 : 0;
  for (int left = high - low, to = step > 0 ? high - lanes : low; left > 0; left -= lanes, to -= step * lanes) {
    const int start = std::clamp(to, right, Count - lanes - 1 + right);  // so that the load stays within the slots
    const auto which = lanes_between(d, start, std::max(low, to), std::min(high, to + lanes));
    store_lanes(hn::LoadU(d, slots + start - step), which, d, slots + start);
  }
}

/// For i in [low, high): `slots[i] = value`.
template <bool Shared, int Count, class T>
HWY_INLINE void fill_slots(T* slots, int low, int high, T value) {
  if constexpr (Shared && (bs_tsan || !HWY_ARCH_X86)) {
    for (int i = low; i < high; ++i) bs_put<true>(slots + i, value);
  } else {
    const line_tag<T> d;
    const auto filled = hn::Set(d, value);
    MANGROVE_BS_TREE_UNROLL
    for (int first = 0; first < Count; first += static_cast<int>(hn::Lanes(d))) {
      const auto kept = hn::Load(d, slots + first);
      hn::Store(hn::IfThenElse(lanes_between(d, first, low, high), filled, kept), d, slots + first);
    }
  }
}

}  // namespace mangrove::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
