#pragma once

#include "blink_claim_impl.hpp"
#include "blink_dealt_impl.hpp"
#include "blink_merge_bodies.hpp"
#include "blink_storage_impl.hpp"

namespace mangrove::detail {

/// What is known of a batch before anything changes, and the memory that it needs.
template <backend B, class Key>
struct blink_storage<B, Key>::insert_plan {
  buffer<B, std::uint32_t> ranks, before;  ///< by place in the sorted batch: leaf, and new keys before
  buffer<B, Key> keys;                     ///< the new ones
  buffer<B, std::uint32_t> sources, new_ranks;
  buffer<B, std::uint32_t> shares;  ///< where the share of each leaf begins, then where each ends
  buffer<B, std::uint32_t> shift;   ///< new leaves before those of each leaf
  buffer<B, node_index> order;
  blink_tally tally{};

  insert_plan(const resources<B>& res, std::size_t count, std::size_t leaves)
      : ranks(res, count),
        before(res, count + 1),
        keys(res, count),
        sources(res, count),
        new_ranks(res, count),
        shares(res, 2 * leaves),
        shift(res, leaves + 1) {}

  [[nodiscard]] new_keys<Key> fresh() {
    return {keys.data(), sources.data(), new_ranks.data(), shares.data(), shares.data() + shares.size() / 2};
  }
};

/// Whether a batch is sorted even if it need not be: a thread that goes through few keys a leaf in order meets each
/// leaf once, and those to be assigned are there mostly.
template <backend B>
bool is_best_sorted(std::size_t count, on_existing existing, std::size_t leaves) {
  return std::is_same_v<B, cpu> && existing == on_existing::assign && count <= 4 * leaves;
}

template <backend B, class Key>
std::size_t blink_storage<B, Key>::insert(const resources<B>& res, const void* keys, const void* values,
                                          std::size_t count, on_existing existing, std::uint8_t* inserted) {
  check_batch_size(count);
  settle(res);
  if (count == 0) return 0;
  if (!is_best_sorted<B>(count, existing, leaves_)) {
    const auto fresh = count * leaves_a_claim<B> < leaves_
                           ? insert_claimed(res, keys, values, count, existing, inserted)
                           : insert_dealt(res, keys, values, count, existing, inserted);
    if (fresh.has_value()) return *fresh;
  }
  return insert_sorted(res, keys, values, count, existing, inserted);
}

template <backend B, class Key>
std::size_t blink_storage<B, Key>::insert_sorted(const resources<B>& res, const void* keys, const void* values,
                                                 std::size_t count, on_existing existing, std::uint8_t* inserted) {
  const sorted_batch<B, Key> batch(res, keys, count, codec_, tally_);
  insert_plan plan(res, count, leaves_);
  locate_new(res, batch, existing, inserted, plan);
  secure(res, plan);
  commit(res, batch, values, existing, plan);
  res.synchronize();
  return plan.tally.fresh;
}

/// Finds out which keys are new and how many leaves they take. Changes nothing.
template <backend B, class Key>
void blink_storage<B, Key>::locate_new(const resources<B>& res, const sorted_batch<B, Key>& batch, on_existing existing,
                                       std::uint8_t* inserted, insert_plan& plan) {
  const view_type tree = view();
  const std::size_t count = batch.view().count;
  buffer<B, std::uint32_t> flags(res, std::max<std::size_t>(count, leaves_));
  for_each_tile<search_lanes>(
      res, count, locate_new_key<Key>{tree, batch.view(), existing, flags.data(), plan.ranks.data(), inserted});
  exclusive_scan(res, flags.data(), plan.before.data(), count);
  fill_bytes(res, plan.shares.data(), 0, plan.shares.size());
  for_each_tile<1>(res, count, pick_new_key<Key>{batch.view(), plan.before.data(), plan.ranks.data(), plan.fresh()});
  for_each_tile<1>(res, count, mark_shares<Key>{plan.fresh(), plan.before.data() + count});
  const auto per_leaf = static_cast<std::uint32_t>(keys_per_leaf());
  for_each_tile<1>(res, leaves_, plan_leaf<Key>{tree, plan.fresh(), per_leaf, flags.data()});
  exclusive_scan(res, flags.data(), plan.shift.data(), leaves_);
  for_each_tile<1>(res, 1, sum_plan{plan.before.data() + count, plan.shift.data() + leaves_, tally_.data()});
  plan.tally = tally_.fetch(res);
}

/// Gets the memory that the plan asks for. @throws memory_error with the tree as it was
template <backend B, class Key>
void blink_storage<B, Key>::secure(const resources<B>& res, insert_plan& plan) {
  const std::size_t extra = plan.tally.extra;
  if (extra == 0) return;
  arena_.secure_leaves(extra);
  arena_.secure_inner(inner_nodes_for(leaves_ + extra));
  plan.order = buffer<B, node_index>(res, leaves_ + extra);
}

/// Applies the plan. Allocates nothing.
template <backend B, class Key>
void blink_storage<B, Key>::commit(const resources<B>& res, const sorted_batch<B, Key>& batch, const void* values,
                                   on_existing existing, insert_plan& plan) {
  const view_type tree = view();
  if (existing == on_existing::assign && tree.nodes.value_bytes != 0) {
    for_each_tile<search_lanes>(
        res, batch.view().count,
        assign_existing<Key>{tree, batch.view(), plan.before.data(), plan.ranks.data(), values});
  }
  if (plan.tally.fresh == 0) return;
  const std::uint32_t extra = plan.tally.extra;
  const merge_input<Key> input{tree, plan.fresh(), plan.shift.data(), values};
  if (extra != 0) {
    for_each_tile<leaf_lanes>(res, extra, write_new_leaf<Key>{input, arena_.supply(), plan.order.data()});
  }
  for_each_tile<leaf_lanes>(res, leaves_, rewrite_leaf<Key>{input});
  size_ += plan.tally.fresh;
  if (extra == 0) return;
  arena_.take(extra);
  for_each_tile<1>(res, leaves_, spread_order{order_.data(), plan.shift.data(), plan.order.data()});
  const std::uint32_t leaves = leaves_ + extra;
  for_each_tile<1>(res, leaves, link_leaf<Key>{arena_.nodes(), plan.order.data(), leaves});
  build_index(res, std::move(plan.order), leaves);
}

}  // namespace mangrove::detail
