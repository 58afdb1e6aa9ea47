#pragma once

#include "bulk_build_support.hpp"
#include "support/sanitizers.hpp"

namespace mangrove::test {

template <backend B, class Bits>
struct bulk_types {
  using backend_type = B;
  using bits = Bits;
};

template <class Types>
class bulk_builds : public testing::Test {
 protected:
  using B = typename Types::backend_type;
  using bits = typename Types::bits;
  using layout = detail::entry_layout<bits>;
  static constexpr auto edges_only = detail::edge_naming::edges_only;

  /// What a bulk build fills.
  struct store {
    explicit store(const resources<B>& res) : entries(res, std::size_t{1} << 22), pool(res, std::size_t{1} << 30) {}
    growable_array<B, detail::vertex_entry> entries;
    slab_pool<B> pool;
  };

  bulk_builds() : memory_(make_limited_memory<B>()), res_(make_resources<B>(memory_)) {}

  static std::vector<graph_options> all_options() {
    std::vector<graph_options> all;
    for (const auto direction : {edge_direction::directed, edge_direction::undirected}) {
      for (const auto loops : {self_loops::drop, self_loops::keep}) {
        for (const adjacency_case& adjacency : adjacency_cases) {
          all.push_back({direction, loops, id_space::dense, adjacency.policy, adjacency.tree_from});
        }
      }
    }
    return all;
  }

  /// The directions and policies.
  static std::vector<graph_options> options_without_loops() {
    std::vector<graph_options> all = all_options();
    std::erase_if(all, [](const graph_options& options) { return options.loops == self_loops::keep; });
    return all;
  }

  /// Weights as the graph keeps them: what bits have room for, or nothing.
  static insert_batch fit_weights(insert_batch batch) {
    for (auto& weight : batch.weights) {
      if constexpr (is_none<bits>) weight = 0;
      if constexpr (std::is_same_v<bits, std::uint32_t>) weight = static_cast<std::uint32_t>(weight);
    }
    return batch;
  }

  detail::bulk_result build(store& to, const insert_batch& batch, const graph_options& options,
                            std::uint32_t index_count) {
    const auto sources = upload(res_, batch.sources);
    const auto targets = upload(res_, batch.targets);
    buffer<B, bits> weights;
    if constexpr (!is_none<bits>) {
      weights = upload(res_, std::vector<bits>(batch.weights.begin(), batch.weights.end()));
    }
    // Half of the batches that name edges alone are said to.
    const bool told = batch.names_edges_only(options, index_count) && random_.below(2) == 0;
    return detail::bulk_build<B, bits>(
        res_, {updates_of(sources, targets), weights.data(), told ? edges_only : detail::edge_naming::any}, options,
        index_count, to.entries, to.pool);
  }

  static detail::indexed_updates updates_of(const buffer<B, std::uint32_t>& sources,
                                            const buffer<B, std::uint32_t>& targets) {
    return {sources.data(), targets.data(), nullptr, update_kind::insert, sources.size()};
  }

  static std::uint64_t once(const edge_table& edges, const graph_options& options) {
    std::uint64_t count = 0;
    for (const auto& [edge, weight] : edges) {
      count += detail::counts_once(detail::edge_key(edge.first, edge.second), options.direction) ? 1 : 0;
    }
    return count;
  }

  /// Builds a graph of its own and checks everything about it.
  host_adjacency<bits> check(const insert_batch& any_weights, const graph_options& options, std::uint32_t index_count) {
    const insert_batch batch = fit_weights(any_weights);
    store to(res_);
    const detail::bulk_result result = build(to, batch, options, index_count);
    const edge_table expected = batch.edges(options, index_count);
    EXPECT_EQ(result.directed, expected.size());
    EXPECT_EQ(result.inserted, once(expected, options));
    EXPECT_EQ(to.entries.size(), index_count);
    host_adjacency<bits> got(res_, to.entries, to.pool);
    EXPECT_TRUE(got.edges(options) == expected) << "edges or weights differ";
    return got;
  }

  /// Rows of given sizes with different targets, in random order.
  insert_batch rows_of(const std::vector<std::uint32_t>& degrees, std::uint32_t index_count) {
    insert_batch batch;
    for (std::uint32_t u = 0; u < degrees.size(); ++u) {
      const std::uint32_t shift = static_cast<std::uint32_t>(random_.below(index_count));
      for (std::uint32_t k = 0; k < degrees[u]; ++k) {
        // 48271 is prime and no divisor of the index counts here, so targets differ
        const auto v = static_cast<std::uint32_t>((shift + std::uint64_t{k} * 48271) % index_count);
        batch.add(u, v, random_());
      }
    }
    batch.shuffle(random_);
    return batch;
  }

  seeded_random random_;
  std::shared_ptr<limited_memory> memory_;
  resources<B> res_;
};

TYPED_TEST_SUITE_P(bulk_builds);

TYPED_TEST_P(bulk_builds, equal_inserts_one_by_one) {
  for (const graph_options& options : this->all_options()) {
    for (const std::uint32_t vertices : {1U, 2U, 7U, 40U, 1000U, 30000U}) {
      for (const std::size_t size : {1U, 3U, 60U, 5000U, 40000U}) {
        insert_batch batch;
        for (std::size_t i = 0; i < size; ++i) {
          const auto any = [&] { return static_cast<std::uint32_t>(this->random_.below(vertices)); };
          batch.add(this->random_.below(10) == 0 ? 0 : any(), any(), this->random_());
        }
        this->check(batch, options, vertices);
        if (testing::Test::HasFailure()) FAIL() << vertices << " vertices, " << size << " updates";
      }
    }
  }
}

TYPED_TEST_P(bulk_builds, suit_every_degree) {
  using limits = detail::bulk_limits;
  constexpr std::uint32_t slots = TestFixture::layout::table::slots;
  constexpr std::uint32_t index_count = 130'003;
  std::vector<std::uint32_t> degrees;
  for (std::uint32_t degree = 0; degree <= 70; ++degree) degrees.push_back(degree);
  for (const std::uint32_t slabs : {limits::table_slabs, limits::large_slabs, limits::larger_slabs}) {
    const std::uint32_t last = slabs * slots / 5 * 4;
    for (const std::uint32_t degree : {last / 2, last - 1, last, last + 1, last + 2}) degrees.push_back(degree);
  }
  degrees.push_back(100'000);
  for (const graph_options& options : this->options_without_loops()) {
    const auto got = this->check(this->rows_of(degrees, index_count), options, index_count);
    if (detail::adjacency_rule::of(options).makes_trees()) {
      EXPECT_EQ(got.tables(limits::table_slabs, ~0U), 0U);
      EXPECT_GT(got.trees(), 15U);
      continue;
    }
    EXPECT_GT(got.tables(0, limits::table_slabs), 0U);
    EXPECT_GT(got.tables(limits::table_slabs, limits::large_slabs), 0U);
    EXPECT_GT(got.tables(limits::large_slabs, limits::larger_slabs), 0U);
    EXPECT_GT(got.tables(limits::larger_slabs, ~0U), 0U);
    if (testing::Test::HasFailure()) FAIL();
  }
}

TYPED_TEST_P(bulk_builds, keep_the_last_of_some_repeats) {
  constexpr std::uint32_t index_count = 130'003;
  for (const graph_options& options : this->options_without_loops()) {
    insert_batch batch = this->rows_of({2, 3, 4, 5, 17, 31, 33, 60, 800, 6000, 20000, 60000}, index_count);
    for (std::uint32_t u = 20; u < 5000; ++u) {
      for (std::uint32_t k = 0; k < u % 12; ++k) batch.add(u, (u * 7 + k * 131) % index_count, this->random_());
    }
    const std::size_t different = batch.size();
    for (std::size_t i = 0; i < different / 25; ++i) {
      const std::size_t at = this->random_.below(different);
      batch.add(batch.sources[at], batch.targets[at], this->random_());
    }
    batch.shuffle(this->random_);
    this->check(batch, options, index_count);
    if (testing::Test::HasFailure()) FAIL();
  }
}

TYPED_TEST_P(bulk_builds, stand_repeats_in_hubs_alone) {
  constexpr std::uint32_t index_count = 130'003;
  for (const std::uint32_t hub_edges : {200U, 3000U, 25000U, 150000U}) {
    for (const std::uint32_t different : {5U, 30U, 150U}) {
      insert_batch batch = this->rows_of(std::vector<std::uint32_t>(100, 8), index_count);
      for (std::uint32_t k = 0; k < hub_edges; ++k) {
        batch.add(1000, static_cast<std::uint32_t>(this->random_.below(different)) * 3, this->random_());
      }
      this->check(batch, {.direction = edge_direction::directed}, index_count);
      if (testing::Test::HasFailure()) FAIL() << hub_edges << " edges, " << different << " different";
    }
  }
}

TYPED_TEST_P(bulk_builds, take_no_memory_for_many_repeats) {
  constexpr std::uint32_t index_count = 5000;
  insert_batch batch;
  for (std::uint32_t u = 0; u < index_count; ++u) {
    for (std::uint32_t k = 1; k <= 6; ++k) batch.add(u, (u + k * 97) % index_count, this->random_());
  }
  const graph_options options{};
  const insert_batch once = batch;
  for (std::size_t i = 0; i < once.size(); ++i) batch.add(once.targets[i], once.sources[i], this->random_());
  batch.shuffle(this->random_);
  const auto got = this->check(batch, options, index_count);
  EXPECT_EQ(got.extent_bytes(), this->check(once, options, index_count).extent_bytes());
}

TYPED_TEST_P(bulk_builds, inline_what_fits_into_the_entry) {
  for (const std::uint32_t different : {1U, 2U, 3U, 4U}) {
    for (const std::size_t size : {4U, 20U, 33U, 5000U, 100000U}) {
      for (const graph_options& options : this->all_options()) {
        insert_batch batch;
        for (std::size_t i = 0; i < size; ++i) {
          // The other targets come last, where a look at the first edges does not see them.
          const auto target = static_cast<std::uint32_t>(i < size - different ? 0 : size - 1 - i);
          batch.add(7, target, this->random_());
        }
        this->check(batch, options, 100);
        if (testing::Test::HasFailure()) FAIL() << size << " edges, " << different << " different";
      }
    }
  }
}

TYPED_TEST_P(bulk_builds, of_nothing_leave_nothing) {
  for (const graph_options& options : this->all_options()) {
    this->check({}, options, 0);
    this->check({}, options, 100);
    insert_batch outside;
    for (std::uint32_t i = 0; i < 50; ++i) outside.add(i % 2 == 0 ? 100 + i : 3, i % 2 == 0 ? 3 : ~i, i);
    this->check(outside, options, 100);
    insert_batch loops;
    for (std::uint32_t i = 0; i < 500; ++i) loops.add(i % 10, i % 10, this->random_());
    this->check(loops, options, 100);
    if (testing::Test::HasFailure()) FAIL();
  }
}

TYPED_TEST_P(bulk_builds, give_edges_weight_zero_when_the_batch_has_none) {
  using B = typename TestFixture::B;
  insert_batch batch = this->rows_of({1, 2, 10, 40, 1000}, 4099);
  std::fill(batch.weights.begin(), batch.weights.end(), 0);
  const auto sources = upload(this->res_, batch.sources);
  const auto targets = upload(this->res_, batch.targets);
  const graph_options options{};
  typename TestFixture::store to(this->res_);
  detail::bulk_build<B, typename TestFixture::bits>(this->res_, {TestFixture::updates_of(sources, targets), nullptr},
                                                    options, 4099, to.entries, to.pool);
  host_adjacency<typename TestFixture::bits> got(this->res_, to.entries, to.pool);
  EXPECT_TRUE(got.edges(options) == batch.edges(options, 4099));
}

TYPED_TEST_P(bulk_builds, tell_whether_there_are_hubs) {
  using B = typename TestFixture::B;
  const graph_options options{.direction = edge_direction::directed};
  for (const std::uint32_t largest : {40U, 5000U}) {
    const insert_batch batch = this->rows_of({1, 2, 10, largest}, 6007);
    const auto sources = upload(this->res_, batch.sources);
    const auto targets = upload(this->res_, batch.targets);
    typename TestFixture::store to(this->res_);
    const auto queued = detail::queue_bulk_build<B, typename TestFixture::bits>(
        this->res_, {TestFixture::updates_of(sources, targets), nullptr}, options, 6007, to.entries, to.pool, nullptr);
    EXPECT_EQ(queued.has_hubs, largest == 5000) << largest;
  }
}

TYPED_TEST_P(bulk_builds, leave_other_extents_of_the_pool_alone) {
  const graph_options options{.direction = edge_direction::directed};
  const insert_batch first = this->fit_weights(this->rows_of({3, 9, 30, 100, 2000, 50000}, 70001));
  const insert_batch second = this->fit_weights(this->rows_of({40000, 1, 6, 33, 900, 12}, 70001));
  typename TestFixture::store one(this->res_);
  typename TestFixture::store two(this->res_);
  this->build(one, first, options, 70001);
  const std::size_t in_use = one.pool.bytes_in_use();
  std::swap(one.pool, two.pool);
  this->build(two, second, options, 70001);
  EXPECT_GT(two.pool.bytes_in_use(), in_use);
  host_adjacency<typename TestFixture::bits> old(this->res_, one.entries, two.pool);
  EXPECT_TRUE(old.edges(options) == first.edges(options, 70001));
  host_adjacency<typename TestFixture::bits> fresh(this->res_, two.entries, two.pool);
  EXPECT_TRUE(fresh.edges(options) == second.edges(options, 70001));
}

TYPED_TEST_P(bulk_builds, refused_memory_change_nothing) {
  for (const int round : {0, 1, 2}) {
    const bool many_repeats = round == 1;
    insert_batch batch = this->rows_of({1, 3, 9, 30, 100, 2000, 50000}, 70001);
    for (std::uint32_t i = 0; many_repeats && i < 1000; ++i) batch.add(100 + i, i % 3, i);
    for (std::uint32_t i = 0; many_repeats && i < 1000; ++i) batch.add(50, 1, i);
    batch = this->fit_weights(batch);
    const graph_options options{.direction = edge_direction::directed, .tree_from = round == 2 ? 50U : no_degree};
    typename TestFixture::store to(this->res_);
    to.entries.grow(10);
    int refusals = 0;
    const auto attempt = [&] { this->build(to, batch, options, 70001); };
    const auto unchanged = [&] {
      ++refusals;
      ASSERT_EQ(to.entries.size(), 10U);
      ASSERT_EQ(to.pool.bytes_in_use(), 0U);
      to.entries.reserve(70001);
      const auto bytes = to_host(this->res_, reinterpret_cast<const std::byte*>(to.entries.data()), 70001 * 16);
      ASSERT_EQ(std::count(bytes.begin(), bytes.end(), std::byte{0}), 70001 * 16);
    };
    ASSERT_NO_FATAL_FAILURE(refuse_every_request(*this->memory_, attempt, unchanged));
    EXPECT_GT(refusals, 6);
    host_adjacency<typename TestFixture::bits> got(this->res_, to.entries, to.pool);
    EXPECT_TRUE(got.edges(options) == batch.edges(options, 70001));
  }
}

TYPED_TEST_P(bulk_builds, suit_large_batches_of_inserts_alone) {
  using B = typename TestFixture::B;
  const graph_options directed{.direction = edge_direction::directed};
  const auto of = [](std::size_t size) {
    return detail::indexed_updates{nullptr, nullptr, nullptr, update_kind::insert, size};
  };
  const update_kind kind{};
  EXPECT_TRUE(detail::bulk_build_suits<B>(of(1000), directed, 1000));
  EXPECT_FALSE(detail::bulk_build_suits<B>(of(1000), directed, 100'000));
  EXPECT_TRUE(detail::bulk_build_suits<B>(of((std::size_t{1} << 30) + 1), directed, 1000));
  EXPECT_FALSE(detail::bulk_build_suits<B>(of((std::size_t{1} << 30) + 1), {}, 1000));
  EXPECT_FALSE(detail::bulk_build_suits<B>(of(std::size_t{1} << 31), directed, 1000));
  EXPECT_FALSE(detail::bulk_build_suits<B>({nullptr, nullptr, nullptr, update_kind::erase, 1000}, directed, 1000));
  EXPECT_FALSE(detail::bulk_build_suits<B>({nullptr, nullptr, &kind, update_kind::insert, 1000}, directed, 1000));
}

REGISTER_TYPED_TEST_SUITE_P(bulk_builds, equal_inserts_one_by_one, suit_every_degree, keep_the_last_of_some_repeats,
                            stand_repeats_in_hubs_alone, take_no_memory_for_many_repeats,
                            inline_what_fits_into_the_entry, of_nothing_leave_nothing,
                            give_edges_weight_zero_when_the_batch_has_none, leave_other_extents_of_the_pool_alone,
                            tell_whether_there_are_hubs, refused_memory_change_nothing,
                            suit_large_batches_of_inserts_alone);

template <backend B>
using bulk_type_list =
    types_to_test<types_kept(1, 3), bulk_types<B, none>, bulk_types<B, std::uint64_t>, bulk_types<B, std::uint32_t>>;

}  // namespace mangrove::test
