#pragma once

#include <limits>

#include "blink_history_bodies.hpp"
#include "run_at_once.hpp"
#include "support/sanitizers.hpp"

namespace mangrove::test {

/// Whether point operations of tiles that meet are linearizable: what they answered, and when, must have an order for
/// each key. Threads run the tiles on the CPU.
template <class Types>
class blink_histories : public testing::Test {
 protected:
  using B = typename Types::backend_type;
  using key = typename Types::key;
  using value = typename Types::value;
  using tree_type = typename Types::container;
  using recorder = record_history<Types>;
  static constexpr bool on_cpu = std::same_as<B, cpu>;

  /// On the CPU neighbours are what meets: threads take tiles in turn.
  static std::vector<key_sharing> all_sharings() {
    if (on_cpu) return {key_sharing::neighbors};
    return {key_sharing::neighbors, key_sharing::distant};
  }

  /// Runs of one shape: a tree that begins empty, then one that holds half of the keys.
  template <int Width>
  void explain_runs(const history_shape& shape, int rounds) {
    for (int round = 0; round < rounds; ++round) {
      ASSERT_NO_FATAL_FAILURE(explain_run<Width>(shape, false)) << "round " << round << ", from nothing";
      ASSERT_NO_FATAL_FAILURE(explain_run<Width>(shape, true)) << "round " << round << ", half full";
    }
    // Threads of a busy machine may run one after the other.
    if (!on_cpu) {
      EXPECT_GT(met_, std::size_t{0}) << "no two operations on a key were ever under way at the same time";
    }
    this->RecordProperty("operations", std::to_string(noted_));
    this->RecordProperty("operations_that_met_another_on_their_key", std::to_string(met_));
  }

 private:
  template <int Width>
  void explain_run(const history_shape& shape, bool half_full) {
    std::vector<key> keys;
    for (std::uint32_t i = 0; i < shape.all_keys(); ++i) keys.push_back(dense_key<key>(static_cast<std::int32_t>(i)));
    const auto placed = upload(res_, keys);
    tree_type tree = half_full ? every_second(keys) : tree_type(res_);
    const std::size_t events = std::size_t{shape.all_tiles()} * shape.steps;
    buffer<B, key_event> noted(res_, events);
    buffer<B, std::uint64_t> counters(res_, 2);
    fill_bytes(res_, counters.data(), 0, 2);
    const auto ref = tree.open(res_, events * (1 + recorder::others_a_step));
    run_at_once<Width>(res_, shape.all_tiles(),
                       recorder{ref, placed.data(), noted.data(), reinterpret_cast<std::uint32_t*>(counters.data() + 1),
                                shared_clock(counters.data()), shape, random_()});
    const auto read = download(res_, counters);
    ASSERT_EQ(read[0], 2 * events) << "ticks";
    ASSERT_EQ(read[1], 0U) << "inserts were refused";
    ASSERT_EQ(tree.check(res_), "");
    explain(tree, keys, download(res_, noted), shape, half_full);
  }

  tree_type every_second(const std::vector<key>& keys) const {
    std::vector<key> held;
    for (std::size_t i = 0; i < keys.size(); i += 2) held.push_back(keys[i]);
    const std::vector<value> values(held.size(), recorder::value_of(first_value));
    tree_type tree(res_);
    tree.bulk_build(res_, upload(res_, held).data(), upload(res_, values).data(), held.size(), key_sequence::sorted);
    return tree;
  }

  void explain(tree_type& tree, const std::vector<key>& keys, const std::vector<key_event>& events,
               const history_shape& shape, bool half_full) {
    std::vector<std::vector<key_event>> of_key(shape.groups * shape.keys);
    for (const key_event& event : events) of_key[event.key].push_back(event);
    for (const key_event& last : find_at_last(tree, keys, shape)) of_key[last.key].push_back(last);
    for (std::uint32_t n = 0; n < of_key.size(); ++n) {
      count_meetings(of_key[n]);
      const bool was_there = half_full && shape.noted_key(n) % 2 == 0;
      key_history history(of_key[n], was_there
                                         ? key_history::contents(recorder::number_of(recorder::value_of(first_value)))
                                         : std::nullopt);
      ASSERT_TRUE(history.is_linearizable()) << "key " << n << ": " << history.unexplained();
    }
  }

  /// What the settled tree holds, as finds after all that was noted.
  std::vector<key_event> find_at_last(tree_type& tree, const std::vector<key>& keys, const history_shape& shape) const {
    tree.settle(res_);
    EXPECT_EQ(tree.check(res_), "");
    buffer<B, value> values(res_, keys.size());
    buffer<B, std::uint8_t> found(res_, keys.size());
    tree.find(res_, upload(res_, keys).data(), keys.size(), values.data(), found.data());
    const auto host_values = download(res_, values);
    const auto host_found = download(res_, found);
    constexpr std::uint64_t at_last = std::numeric_limits<std::uint64_t>::max() - 1;
    std::vector<key_event> finds;
    for (std::uint32_t n = 0; n < shape.groups * shape.keys; ++n) {
      const std::uint32_t i = shape.noted_key(n);
      const bool is_there = host_found[i] != 0;
      finds.push_back(
          {n, key_operation::find, is_there ? recorder::number_of(host_values[i]) : 0, at_last, at_last, is_there});
    }
    return finds;
  }

  /// Counts events that another one on the key did not wait for.
  void count_meetings(std::vector<key_event> events) {
    std::sort(events.begin(), events.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
    for (std::size_t i = 1; i < events.size(); ++i) met_ += events[i].begin < events[i - 1].end ? 1 : 0;
    noted_ += events.size() - 1;
  }

  static constexpr std::uint64_t first_value = 0xffffff00;  ///< of keys that are there before the tiles run

  seeded_random random_;
  resources<B> res_ = make_resources<B>();
  std::size_t noted_ = 0;
  std::size_t met_ = 0;
};

TYPED_TEST_SUITE_P(blink_histories);

TYPED_TEST_P(blink_histories, of_few_tiles_have_an_order) {
  constexpr bool on_cpu = TestFixture::on_cpu;
  for (const auto sharing : TestFixture::all_sharings()) {
    const history_shape shape =
        on_cpu ? history_shape{1, 32, 24, 2, 100, sharing} : history_shape{64, 8, 24, 3, 100, sharing};
    this->template explain_runs<1>(shape, on_cpu ? 25 : 6);
    this->template explain_runs<8>(shape, on_cpu ? 25 : 6);
  }
}

TYPED_TEST_P(blink_histories, of_crowds_have_an_order) {
  constexpr bool on_cpu = TestFixture::on_cpu;
  for (const auto sharing : TestFixture::all_sharings()) {
    const std::uint32_t groups = on_cpu ? 2 : 40;
    this->template explain_runs<8>({groups, 16, 20, 1, 30, sharing}, on_cpu ? 25 : 6);
    this->template explain_runs<8>({groups, 16, 20, 1, 0, sharing}, on_cpu ? 25 : 6);  // all in few leaves
  }
}

REGISTER_TYPED_TEST_SUITE_P(blink_histories, of_few_tiles_have_an_order, of_crowds_have_an_order);

/// Types for histories: few, for each is compiled into kernels.
template <backend B>
using blink_history_types = types_to_test<types_kept(3, 2), blink_types<B, std::uint32_t, std::uint32_t>,
                                          blink_types<B, double, std::uint64_t>, blink_types<B, std::uint64_t, none>>;

}  // namespace mangrove::test
