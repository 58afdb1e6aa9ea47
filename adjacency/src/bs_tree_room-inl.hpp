// Making room for a key in a leaf by vectors.
// Included once per instruction set (see hwy/foreach_target.h).
#if defined(MANGROVE_BS_TREE_ROOM_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MANGROVE_BS_TREE_ROOM_INL
#undef MANGROVE_BS_TREE_ROOM_INL
#else
#define MANGROVE_BS_TREE_ROOM_INL
#endif

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "bs_tree_moves-inl.hpp"
#include "bs_tree_neighbours-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mangrove::detail::HWY_NAMESPACE {

/// What of a leaf lies right beside its keys or values, and may be read with them.
enum class beside { nothing, before, after };

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

/// Puts `added` at the move's target, after the move. All vectors are stored, and whole: where stores go must not
/// depend on what is in the leaf. Until their addresses are known, loads that follow may have to wait, and those are
/// the next operation's way down the tree.
template <int Count, beside, class T>
HWY_INLINE void insert_in_vectors(T* slots, const slot_move& move, T added) {
  const line_tag<T> d;
  using vector = hn::Vec<decltype(d)>;
  using mask = hn::Mask<decltype(d)>;
  constexpr int lanes = hn::MaxLanes(d);
  const auto all = static_cast<std::uint64_t>(move.right);
  const std::uint64_t moved = bits_between(move.low(), move.high());
  const std::uint64_t right = moved & all;
  const std::uint64_t left = moved & ~all;
  const std::uint64_t target = std::uint64_t{1} << move.target();
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
#elif HWY_TARGET == HWY_AVX2
/// How far left bit i must go to become its lane's highest.
template <class T>
struct bit_lanes {
  static constexpr int bits = 8 * sizeof(T);
  alignas(64) T values[bits];

  constexpr bit_lanes() : values() {
    for (int i = 0; i < bits; ++i) values[i] = static_cast<T>(bits - 1 - i);
  }
};
template <class T>
inline constexpr bit_lanes<T> lanes_of_bits;

/// The lanes that take part in a move. Only each lane's highest bit is right: blending looks at no other.
template <class D>
class moving_lanes {
 public:
  HWY_INLINE moving_lanes(D, const slot_move& move) : moved_(move.moved_bits()), target_(move.target_bit()) {}

  /// Of the vector at slot `at`, the lanes that take over their neighbours' content.
  HWY_INLINE hn::Mask<D> moved(int at) const { return lanes(moved_, at); }
  HWY_INLINE hn::Mask<D> target(int at) const { return lanes(target_, at); }

 private:
  HWY_INLINE static hn::Mask<D> lanes(std::uint64_t bits, int at) {
    using slot = hn::TFromD<D>;
    constexpr int width = 8 * sizeof(slot);
    const auto* const places = reinterpret_cast<const __m256i*>(lanes_of_bits<slot>.values + at % width);
    if constexpr (width == 64) {
      return {_mm256_sllv_epi64(_mm256_set1_epi64x(static_cast<std::int64_t>(bits)), _mm256_load_si256(places))};
    } else {
      return {_mm256_sllv_epi32(_mm256_set1_epi32(static_cast<int>(bits >> (at & 32))), _mm256_load_si256(places))};
    }
  }

  std::uint64_t moved_;
  std::uint64_t target_;
};

/// Lanes of 16 bits cannot be shifted one by one; their numbers are compared.
template <class D>
requires(sizeof(hn::TFromD<D>) == 2) class moving_lanes<D> {
  using number = std::int16_t;
  using numbers = hn::Rebind<number, D>;

 public:
  HWY_INLINE moving_lanes(D, const slot_move& move)
      : one_(all(std::countr_zero(move.gap_bit()) + ~move.right)),
        other_(all(move.target() + ~move.right)),
        target_(all(move.target())) {}

  /// Slots move that are right of one of the two and not right of the other, whichever of them is less.
  HWY_INLINE hn::Mask<D> moved(int at) const {
    return hn::RebindMask(D(), hn::Xor(hn::Gt(slots(at), one_), hn::Gt(slots(at), other_)));
  }
  HWY_INLINE hn::Mask<D> target(int at) const { return hn::RebindMask(D(), hn::Eq(slots(at), target_)); }

 private:
  HWY_INLINE static hn::Vec<numbers> all(std::int64_t slot) { return hn::Set(numbers(), static_cast<number>(slot)); }
  HWY_INLINE static hn::Vec<numbers> slots(int at) { return hn::LoadU(numbers(), numbered_lanes<number>.values + at); }

  hn::Vec<numbers> one_;
  hn::Vec<numbers> other_;
  hn::Vec<numbers> target_;
};

/// In which order a vector takes its own 32-bit lanes, where slots consist of `Words` of them: from the first number on
/// they move one slot to the right, from the second slot's on they stay, and from the third one's on they move left.
template <int Words>
struct lane_orders {
  std::int32_t values[8 + 2 * Words];

  constexpr lane_orders() : values() {
    for (int i = 0; i < 8 + 2 * Words; ++i) values[i] = i < Words ? i : i < 8 + Words ? i - Words : i - 2 * Words;
  }
};
template <int Words>
inline constexpr lane_orders<Words> orders_of_lanes;

/// What the vector at slot `at` takes over: its left neighbours' content when moving right, else its right neighbours'.
/// At an end of the slots that nothing of the leaf lies beyond, a vector within the slots has its lanes moved.
template <int Count, beside Beside, class D>
HWY_INLINE hn::Vec<D> moving_in(D d, const hn::TFromD<D>* slots, int at, std::int64_t right) {
  using slot = hn::TFromD<D>;
  constexpr int lanes = hn::MaxLanes(d);
  static_assert(Count > lanes);
  const bool first = at == 0 && Beside != beside::before;
  const bool last = at + lanes == Count && Beside != beside::after;
  if (!first && !last) return hn::LoadU(d, slots + at + 1 + 2 * right);
  const auto within = hn::LoadU(d, slots + at + (first ? 1 + right : right));
  if constexpr (sizeof(slot) == 2) {
    const auto moves_right = hn::MaskFromVec(hn::Set(d, static_cast<slot>(right)));
    return first ? chosen_lanes(d, moves_right, left_neighbours(d, within), within)
                 : chosen_lanes(d, moves_right, within, right_neighbours(d, within));
  } else {
    constexpr int words = sizeof(slot) / 4;
    const auto* const from = orders_of_lanes<words>.values + words * (first ? 1 + right : 2 + right);
    const __m256i order = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    return hn::Vec<D>{_mm256_permutevar8x32_epi32(within.raw, order)};
  }
}

/// The same: all vectors are stored. What waits for the leaf is kept short, and most of all what waits in vector
/// registers: when it fills the queues, the next operation does not start before this leaf has come.
template <int Count, beside Beside, class T>
HWY_INLINE void insert_in_vectors(T* slots, const slot_move& move, T added) {
  const line_tag<T> d;
  constexpr int lanes = hn::MaxLanes(d);
  const auto fresh = hn::Set(d, added);
  const moving_lanes which(d, move);
  const auto after_move = [&](int at) MANGROVE_BS_TREE_INLINE {
    const auto incoming = moving_in<Count, Beside>(d, slots, at, move.right);
    return chosen_lanes(d, which.moved(at), incoming, hn::Load(d, slots + at));
  };
  auto content = after_move(0);
  MANGROVE_BS_TREE_UNROLL
  for (int at = 0; at < Count; at += lanes) {
    const auto next = at + lanes < Count ? after_move(at + lanes) : content;  // before its neighbours change
    hn::Store(chosen_lanes(d, which.target(at), fresh, content), d, slots + at);
    content = next;
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
template <int Count, beside, class T>
HWY_INLINE void insert_in_vectors(T* slots, const slot_move& move, T added) {
  const line_tag<T> d;
  const hn::RebindToSigned<decltype(d)> ds;
  using number = hn::TFromD<decltype(ds)>;
  constexpr int lanes = hn::MaxLanes(d);
  // Slots move that are right of one of these and not right of the other, whichever of them is less.
  const auto one = hn::Set(ds, static_cast<number>(move.gap() + ~move.right));
  const auto other = hn::Set(ds, static_cast<number>(move.target() + ~move.right));
  const auto target = hn::Set(ds, static_cast<number>(move.target()));
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

/// Which of many cache lines an insert touches: all, without branches on where the gap is, or those whose slots move,
/// where only they have been asked for.
enum class lines_touched { all, moved };

/// Moves slots as `move` says and puts `added` into the one that becomes free.
template <bool Shared, int Count, lines_touched Lines, beside Beside, class T>
HWY_INLINE void insert_slot(T* slots, const slot_move& move, T added) {
  if constexpr (is_none<T>) {
    return;
  } else if constexpr (Shared && (bs_tsan || !HWY_ARCH_X86)) {
    for (int done = 0; done < move.high() - move.low(); ++done) {
      const int i = move.right != 0 ? move.high() - 1 - done : move.low() + done;
      bs_put<true>(slots + i, bs_get<true>(slots + i - move.step()));
    }
    bs_put<true>(slots + move.target(), added);
  } else if constexpr (Lines == lines_touched::all || Count * sizeof(T) <= 2 * bs_block_bytes) {
    insert_in_vectors<Count, Beside>(slots, move, added);
  } else {
    move_far_slots<Count>(slots, move.low(), move.high(), static_cast<int>(move.step()));
    bs_put<Shared>(slots + move.target(), added);
  }
}

}  // namespace mangrove::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
