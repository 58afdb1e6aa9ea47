#pragma once

#include "blink_claim_merge_bodies.hpp"
#include "blink_storage_impl.hpp"

namespace mangrove::detail {

/// Batches that are larger, or have more keys than so many a leaf, are sorted: crowded leaves take longer here.
inline constexpr std::size_t most_claims = std::size_t{1} << 26;
inline constexpr std::size_t most_claims_of_slots = 5;  ///< one in so many of the leaves' slots

/// What `insert` was given.
template <backend B, class Key>
struct blink_storage<B, Key>::claimed_input {
  const void* keys;
  const void* values;
  std::size_t count;
  on_existing existing;
  std::uint8_t* inserted;
};

template <backend B, class Key>
bool blink_storage<B, Key>::is_claimable(std::size_t count) const {
  return count <= most_claims && count * most_claims_of_slots <= std::size_t{leaves_} * view_type::slots;
}

/// Inserts a batch whose keys claim their leaves. @return nothing, with the tree as it was, where too many keys want
/// one leaf
template <backend B, class Key>
std::optional<std::size_t> blink_storage<B, Key>::insert_claimed(const resources<B>& res, const claimed_input& input) {
  const bool is_listed = input.count * 2 <= leaves_;
  const std::size_t touched = is_listed ? input.count : leaves_;
  const claim_arrays<Key> claims = claims_.secure(res, arena_.leaf_room(), input.count, touched, is_listed);
  claimed_.clear(res);
  claim_tally* const tally = claimed_.data();
  for_each_tile<search_lanes>(res, input.count, claim_leaf<Key>{raw_view(), input.keys, claims, input.inserted, tally});
  const sort_out_claims<Key> sort_out{raw_view(), claims, tally};
  merge_claims<Key> merge{{arena_.nodes(), claims.keys, input.values, input.existing, input.inserted, tally},
                          claims.touched,
                          merge_claims<Key>::stage::unsure};
  if (is_listed) {
    for_each_counted<1>(res, &tally->touched, touched, sort_out);
    for_each_counted<leaf_lanes>(res, &tally->touched, touched, merge);
  } else {
    for_each_tile<1>(res, touched, sort_out);
    for_each_tile<leaf_lanes>(res, touched, merge);
  }
  const claim_tally seen = claimed_.fetch(res);
  if (seen.refused != 0) throw_nan();
  if (seen.skewed != 0) return std::nullopt;
  if (seen.crowded != 0) {
    insert_crowded(res, claims, input, seen);
    merge.known = merge_claims<Key>::stage::certain;
    for_each_tile<leaf_lanes>(res, is_listed ? seen.touched : touched, merge);
  }
  const std::size_t fresh = input.count - (seen.crowded == 0 ? seen : claimed_.fetch(res)).all_rejected();
  size_ += fresh;
  return fresh;
}

/// Inserts those keys that claim crowded leaves. Fails, if at all, with the tree as it was.
template <backend B, class Key>
void blink_storage<B, Key>::insert_crowded(const resources<B>& res, const claim_arrays<Key>& claims,
                                           const claimed_input& input, const claim_tally& seen) {
  const view_type tree = raw_view();
  const std::size_t places = std::size_t{seen.crowded} * view_type::slots;
  buffer<B, Key> keys(res, places);
  buffer<B, std::uint32_t> sources(res, places);
  buffer<B, typename crowd_plan<Key>::shares> shares(res, seen.crowded);
  buffer<B, std::uint32_t> extra(res, leaves_);
  buffer<B, std::uint32_t> shift(res, leaves_ + std::size_t{1});
  fill_bytes(res, extra.data(), 0, leaves_);
  const crowd_plan<Key> plan{keys.data(), sources.data(), shares.data(), extra.data()};
  const claimed_batch<Key> batch{arena_.nodes(), claims.keys,    input.values,
                                 input.existing, input.inserted, claimed_.data()};
  for_each_tile<leaf_lanes>(
      res, seen.crowded, plan_crowded<Key>{batch, claims.crowded, plan, static_cast<std::uint32_t>(keys_per_leaf())});
  exclusive_scan(res, extra.data(), shift.data(), leaves_);
  const std::uint32_t more = read_back(res, shift.data() + leaves_);
  const std::uint32_t leaves = leaves_ + more;
  buffer<B, node_index> order;
  if (more != 0) {
    arena_.secure_leaves(more);
    arena_.secure_inner(inner_nodes_for(leaves));
    order = buffer<B, node_index>(res, leaves);
  }
  // From here on nothing can fail.
  const merge_input<Key> merging{
      tree, {keys.data(), sources.data(), nullptr, nullptr, nullptr}, shift.data(), input.values};
  for_each_tile<leaf_lanes>(
      res, seen.crowded, rewrite_crowded<Key>{merging, claims.crowded, shares.data(), arena_.supply(), order.data()});
  if (more == 0) return;
  arena_.take(more);
  for_each_tile<1>(res, leaves_, spread_order{order_.data(), shift.data(), order.data()});
  build_index(res, std::move(order), leaves);
}

}  // namespace mangrove::detail
