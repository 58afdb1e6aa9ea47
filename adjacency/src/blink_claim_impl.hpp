#pragma once

#include "blink_claim_merge_bodies.hpp"
#include "blink_storage_impl.hpp"

namespace mangrove::detail {

/// What `insert` was given, and where its claims are kept.
template <backend B, class Key>
struct blink_storage<B, Key>::claimed_input {
  const void* keys;
  const void* values;
  std::size_t count;
  on_existing existing;
  std::uint8_t* inserted;
  claim_arrays<Key> claims;
  claimed_batch<Key> batch;
};

/// Memory for plans of crowded leaves.
template <backend B, class Key>
struct blink_storage<B, Key>::crowd_memory {
  buffer<B, Key> keys;
  buffer<B, std::uint32_t> sources;
  buffer<B, typename crowd_plan<Key>::shares> shares;
  buffer<B, std::uint32_t> extra, shift;

  crowd_memory(const resources<B>& res, std::size_t crowded, std::size_t leaves)
      : keys(res, crowded * view_type::slots),
        sources(res, crowded * view_type::slots),
        shares(res, crowded),
        extra(res, leaves),
        shift(res, leaves + 1) {}
};

/// Inserts a batch whose keys claim their leaves. @return nothing, with the tree as it was, where too many keys want
/// one leaf
template <backend B, class Key>
std::optional<std::size_t> blink_storage<B, Key>::insert_claimed(const resources<B>& res, const void* keys,
                                                                 const void* values, std::size_t count,
                                                                 on_existing existing, std::uint8_t* inserted) {
  const claim_arrays<Key> claims = claims_.secure(res, arena_.leaf_room(), count);
  const claimed_input input{keys,
                            values,
                            count,
                            existing,
                            inserted,
                            claims,
                            {arena_.nodes(), claims.keys, values, existing, inserted, claimed_.data()}};
  claim_leaves(res, input);
  merge_claims<Key> merge{input.batch, claims.touched, merge_claims<Key>::stage::unsure};
  for_each_counted<leaf_lanes>(res, &claimed_.data()->touched, count, merge);
  claim_tally seen = claimed_.fetch(res);
  if (seen.refused != 0) throw_nan();
  if (seen.skewed != 0) return std::nullopt;
  if (seen.crowded != 0) {
    crowd_memory crowd(res, seen.crowded, leaves_);
    plan_crowd(res, input, crowd);
    seen = claimed_.fetch(res);
    insert_crowded(res, input, crowd, seen);
    merge.known = merge_claims<Key>::stage::certain;
    for_each_tile<leaf_lanes>(res, seen.touched, merge);
    seen = claimed_.fetch(res);
  }
  const std::size_t fresh = count - seen.sum(&claim_tally::counters::rejected);
  size_ += fresh;
  return fresh;
}

/// Lets every key claim its leaf, and tells the leaves apart. Changes nothing.
template <backend B, class Key>
void blink_storage<B, Key>::claim_leaves(const resources<B>& res, const claimed_input& input) {
  claimed_.clear(res);
  claim_tally* const tally = claimed_.data();
  for_each_tile<search_lanes>(res, input.count,
                              claim_leaf<Key>{raw_view(), input.keys, input.claims, input.inserted, tally});
  for_each_counted<1>(res, &tally->touched, input.count, sort_out_claims<Key>{raw_view(), input.claims, tally});
}

/// Finds out what crowded leaves become. Changes nothing.
template <backend B, class Key>
void blink_storage<B, Key>::plan_crowd(const resources<B>& res, const claimed_input& input, crowd_memory& crowd) {
  const crowd_plan<Key> plan{crowd.keys.data(), crowd.sources.data(), crowd.shares.data(), crowd.extra.data()};
  fill_bytes(res, crowd.extra.data(), 0, leaves_);
  const auto per_leaf = static_cast<std::uint32_t>(keys_per_leaf());
  for_each_tile<leaf_lanes>(res, crowd.shares.size(),
                            plan_crowded<Key>{input.batch, input.claims.crowded, plan, per_leaf});
  exclusive_scan(res, crowd.extra.data(), crowd.shift.data(), leaves_);
}

/// Inserts those keys that claim crowded leaves. Fails, if at all, with the tree as it was.
template <backend B, class Key>
void blink_storage<B, Key>::insert_crowded(const resources<B>& res, const claimed_input& input, crowd_memory& crowd,
                                           const claim_tally& seen) {
  const auto more = static_cast<std::uint32_t>(seen.sum(&claim_tally::counters::extra));
  const std::uint32_t leaves = leaves_ + more;
  buffer<B, node_index> order;
  if (more != 0) {
    arena_.secure_leaves(more);
    arena_.secure_inner(inner_nodes_for(leaves));
    order = buffer<B, node_index>(res, leaves);
  }
  // From here on nothing can fail.
  const merge_input<Key> merging{raw_view(),
                                 {crowd.keys.data(), crowd.sources.data(), nullptr, nullptr, nullptr},
                                 crowd.shift.data(),
                                 input.values};
  for_each_tile<leaf_lanes>(
      res, seen.crowded,
      rewrite_crowded<Key>{merging, input.claims.crowded, crowd.shares.data(), arena_.supply(), order.data()});
  if (more == 0) return;
  arena_.take(more);
  for_each_tile<1>(res, leaves_, spread_order{order_.data(), crowd.shift.data(), order.data()});
  build_index(res, std::move(order), leaves);
}

}  // namespace mangrove::detail
