// Moving a leaf's slots by vectors, to make room and to close gaps.
// Included once per instruction set (see hwy/foreach_target.h).
#if defined(MANGROVE_BS_TREE_MOVES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MANGROVE_BS_TREE_MOVES_INL
#undef MANGROVE_BS_TREE_MOVES_INL
#else
#define MANGROVE_BS_TREE_MOVES_INL
#endif

#include <algorithm>
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

/// How slots make room: those from `gap` to `target`, but `target` itself, take over their left neighbours' content
/// when `right` is all ones, their right neighbours' when it is 0; then `target` is free. The gap is right of the
/// target, or they are the same, when moving right; left of it or the same when moving left.
struct slot_move {
  std::int64_t gap;
  std::int64_t target;
  std::int64_t right;

  [[nodiscard]] HWY_INLINE std::int64_t step() const { return -1 - 2 * right; }
  /// The slots that move are those in [low, high).
  [[nodiscard]] HWY_INLINE int low() const { return static_cast<int>(((target + 1) & right) | (gap & ~right)); }
  [[nodiscard]] HWY_INLINE int high() const { return static_cast<int>(((gap + 1) & right) | (target & ~right)); }
};

/// `yes` in the lanes of `which`, `no` in the others. With AVX2 by the instruction: GCC 12 would compare the mask with
/// zero before.
template <class D>
HWY_INLINE hn::Vec<D> chosen_lanes(D, hn::Mask<D> which, hn::Vec<D> yes, hn::Vec<D> no) {
#if HWY_TARGET == HWY_AVX2
  asm("vpblendvb %2, %1, %0, %0" : "+x"(no.raw) : "xm"(yes.raw), "x"(which.raw));
  return no;
#else
  return hn::IfThenElse(which, yes, no);
#endif
}

#if HWY_TARGET == HWY_AVX3
/// `kept`, but in the lanes of `which` those of `low` and `high`, one vector, from lane `Shift` on.
template <int Shift, class D>
HWY_INLINE hn::Vec<D> take_shifted(D, hn::Vec<D> kept, std::uint64_t which, hn::Vec<D> low, hn::Vec<D> high) {
  using T = hn::TFromD<D>;
  if constexpr (sizeof(T) == 8) {
    return {_mm512_mask_alignr_epi64(kept.raw, static_cast<__mmask8>(which), high.raw, low.raw, Shift)};
  } else if constexpr (sizeof(T) == 4) {
    return {_mm512_mask_alignr_epi32(kept.raw, static_cast<__mmask16>(which), high.raw, low.raw, Shift)};
  } else {
    const __m512i from = _mm512_add_epi16(_mm512_load_si512(numbered_lanes<T>.values), _mm512_set1_epi16(Shift));
    const __m512i shifted = _mm512_permutex2var_epi16(low.raw, from, high.raw);
    return {_mm512_mask_blend_epi16(static_cast<__mmask32>(which), kept.raw, shifted)};
  }
}

/// Puts `added` at `move.target`, after the move. All vectors are stored, and whole: where stores go must not depend on
/// what is in the leaf. Until their addresses are known, loads that follow may have to wait, and those are the next
/// operation's way down the tree.
template <int Count, class T>
HWY_INLINE void insert_in_vectors(T* slots, const slot_move& move, T added) {
  const line_tag<T> d;
  using vector = hn::Vec<decltype(d)>;
  using mask = hn::Mask<decltype(d)>;
  constexpr int lanes = hn::MaxLanes(d);
  const auto all = static_cast<std::uint64_t>(move.right);
  const std::uint64_t moved = bits_between(move.low(), move.high());
  const std::uint64_t right = moved & all;
  const std::uint64_t left = moved & ~all;
  const std::uint64_t target = std::uint64_t{1} << move.target;
  vector before = hn::Load(d, slots);
  vector here = before;
  MANGROVE_BS_TREE_UNROLL
  for (int from = 0; from < Count; from += lanes) {
    const vector after = hn::Load(d, slots + std::min(from + lanes, Count - lanes));
    vector content = take_shifted<lanes - 1>(d, here, right >> from, before, here);
    content = take_shifted<1>(d, content, left >> from, here, after);
    const mask place{static_cast<decltype(mask::raw)>(target >> from)};
    hn::Store(hn::IfThenElse(place, hn::Set(d, added), content), d, slots + from);
    before = here;
    here = after;
  }
}
#else
/// What the vector at slot `at` takes over: its left neighbours' content when moving right, else its right neighbours'.
/// Nothing beyond the slots is read.
template <int Count, class D>
HWY_INLINE hn::Vec<D> moving_in(D d, const hn::TFromD<D>* slots, int at, const slot_move& move) {
  using slot = hn::TFromD<D>;
  constexpr int lanes = hn::MaxLanes(d);
  static_assert(Count > lanes);
  if (at != 0 && at + lanes != Count) return hn::LoadU(d, slots - move.step() + at);
  const auto here = hn::Load(d, slots + at);
  const auto left = at == 0 ? left_neighbours(d, here) : hn::LoadU(d, slots + at - 1);
  const auto right = at == 0 ? hn::LoadU(d, slots + 1) : right_neighbours(d, here);
  const auto moves_right = hn::MaskFromVec(hn::Set(d, static_cast<slot>(move.right)));
  return chosen_lanes(d, moves_right, left, right);
}

/// The same: all vectors are stored.
template <int Count, class T>
HWY_INLINE void insert_in_vectors(T* slots, const slot_move& move, T added) {
  const line_tag<T> d;
  const hn::RebindToSigned<decltype(d)> ds;
  using number = hn::TFromD<decltype(ds)>;
  constexpr int lanes = hn::MaxLanes(d);
  // Slots move that are right of one of these and not right of the other, whichever of them is less.
  const auto one = hn::Set(ds, static_cast<number>(move.gap + ~move.right));
  const auto other = hn::Set(ds, static_cast<number>(move.target + ~move.right));
  const auto target = hn::Set(ds, static_cast<number>(move.target));
  const auto fresh = hn::Set(d, added);
  auto moved = moving_in<Count>(d, slots, 0, move);
  MANGROVE_BS_TREE_UNROLL
  for (int at = 0; at < Count; at += lanes) {
    const auto slot = hn::LoadU(ds, numbered_lanes<number>.values + at);
    const auto moves = hn::RebindMask(d, hn::Xor(hn::Gt(slot, one), hn::Gt(slot, other)));
    const auto content = chosen_lanes(d, moves, moved, hn::Load(d, slots + at));
    if (at + lanes < Count) moved = moving_in<Count>(d, slots, at + lanes, move);  // before its neighbours change
    const auto place = hn::RebindMask(d, hn::Eq(slot, target));
    hn::Store(chosen_lanes(d, place, fresh, content), d, slots + at);
  }
}
#endif

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

/// Which of many cache lines an insert touches: all, without branches on where the gap is, or those whose slots move,
/// where only they have been asked for.
enum class lines_touched { all, moved };

/// Moves slots as `move` says and puts `added` into the one that becomes free.
template <bool Shared, int Count, lines_touched Lines, class T>
HWY_INLINE void insert_slot(T* slots, const slot_move& move, T added) {
  if constexpr (is_none<T>) {
    return;
  } else if constexpr (Shared && (bs_tsan || !HWY_ARCH_X86)) {
    for (int done = 0; done < move.high() - move.low(); ++done) {
      const int i = move.right != 0 ? move.high() - 1 - done : move.low() + done;
      bs_put<true>(slots + i, bs_get<true>(slots + i - move.step()));
    }
    bs_put<true>(slots + move.target, added);
  } else if constexpr (Lines == lines_touched::all || Count * sizeof(T) <= 2 * bs_block_bytes) {
    insert_in_vectors<Count>(slots, move, added);
  } else {
    move_far_slots<Count>(slots, move.low(), move.high(), static_cast<int>(move.step()));
    bs_put<Shared>(slots + move.target, added);
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
