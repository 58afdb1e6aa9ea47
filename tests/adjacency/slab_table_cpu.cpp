#include "mangrove/adjacency/slab_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "mangrove/adjacency/detail/table_filling.hpp"
#include "mangrove/adjacency/detail/table_rounds.hpp"
#include "mangrove/core/tile.hpp"
#include "support/random.hpp"
#include "support/sanitizers.hpp"
#include "support/table_checker.hpp"

/// @file
/// A slab table's promises to its readers, kept by every way to change it: by SIMD, as on a CPU, and by a lane alone,
/// as on CUDA, whose searches stop where those promises say that they may.

namespace mangrove::test {

namespace {

/// A thread that searches as a lane of CUDA that works alone does.
struct lone_thread : cpu_tile<1> {
  static constexpr bool simd = false;
};

template <class Key, class Value>
struct table_types {
  using key = Key;
  using value = Value;
};

template <class Types>
class slab_tables : public testing::Test {
 protected:
  using key = typename Types::key;
  using table = slab_table<key, typename Types::value>;
  using mark = typename table::mark;

  void begin(std::uint32_t buckets) {
    memory_.assign(buckets * slab_bytes / sizeof(slab), slab{});
    table_ = table(reinterpret_cast<std::byte*>(memory_.data()), buckets);
    for (std::uint32_t bucket = 0; bucket < buckets; ++bucket) table_.clear_bucket(cpu_tile<8>(), bucket);
    held_.clear();
  }

  [[nodiscard]] std::uint32_t slots() const { return table_.buckets() * table::slots; }
  [[nodiscard]] bool has_room() const { return held_.size() + 1 < slots(); }

  key draw() { return static_cast<key>(random_.below(2 * slots())); }

  template <class Tile>
  void insert_by(const Tile& tile, key k) {
    if (!has_room()) return;
    const bool known = held_.count(k) != 0;
    switch (known ? 1 + random_.below(2) : random_.below(4)) {
      case 0:
        ASSERT_TRUE(table_.insert_absent(tile, k));
        break;
      case 1:
        ASSERT_EQ(table_.find_or_insert(tile, k).present, known);
        break;
      case 2:
        ASSERT_EQ(table_.find_or_place(tile, k).present, known);
        break;
      default: {
        const auto where = table_.find_or_free(tile, k);
        ASSERT_FALSE(where.present);
        ASSERT_EQ(table_.keys(where.at.bucket)[where.at.slot], where.roomy ? mark::empty : mark::tombstone);
        ASSERT_EQ(where.at.reused_tombstone, !where.roomy);
        table_.keys(where.at.bucket)[where.at.slot] = k;
      }
    }
    ++held_[k];
  }

  template <class Tile>
  void erase_by(const Tile& tile, key k) {
    if (held_.count(k) == 0) return;
    if (random_.below(2) == 0) {
      table_.erase_at(tile, table_.template find<access::relaxed>(tile, k));
    } else {
      table_.erase_at(table_.find_or_free(tile, k));
    }
    held_.erase(k);
  }

  void fill(key k) {
    if (!has_room()) return;
    const auto filled = detail::table_filling(table_).template insert<access::plain>(k);
    ASSERT_EQ(filled.present, held_.count(k) != 0);
    ASSERT_EQ(table_.keys(filled.at.bucket)[filled.at.slot], k);
    ++held_[k];
  }

  /// Puts keys into an empty table by counting; whether repeats are found must be as the map has it.
  void put_all(std::size_t count, std::uint64_t below) {
    using filling = detail::table_filling<table>;
    std::vector<std::uint32_t> counters(table_.buckets() * filling::counter_words);
    std::vector<typename table::position> all;
    std::vector<typename table::position> displaced;
    bool repeats = false;
    for (std::size_t k = 0; k < count; ++k) {
      const key drawn = static_cast<key>(random_.below(below));
      const auto placed = filling(table_).put(drawn, counters.data(), table_.buckets());
      ASSERT_EQ(table_.keys(placed.at.bucket)[placed.at.slot], drawn);
      all.push_back(placed.at);
      if (!placed.first_choice) displaced.push_back(placed.at);
      repeats = ++held_[drawn] > 1 || repeats;
    }
    std::uint32_t keys = 0;
    ASSERT_EQ(unreachable_keys(table_, keys), 0U);
    ASSERT_EQ(keys, count);
    ASSERT_EQ(any_occurs_before(all), repeats);
    ASSERT_EQ(any_sector_has_equal() || any_occurs_before(displaced), repeats);
  }

  /// Inserts different keys in rounds, as lanes that look all of a round up before they write any.
  void insert_in_rounds(std::size_t lanes) {
    using rounds_of = detail::table_rounds<table>;
    const rounds_of rounds(table_);
    std::vector<std::uint32_t> counted(table_.buckets() * rounds_of::counter_words);
    const auto counters = [&](std::uint32_t bucket) { return counted.data() + bucket * rounds_of::counter_words; };
    for (int round = 0; round < 5; ++round) {
      std::set<key> drawn;
      while (drawn.size() < lanes && held_.size() + drawn.size() + 1 < slots()) drawn.insert(draw());
      std::map<key, typename table::position> taken;
      for (const key k : drawn) {
        const auto found = rounds.look_up(k);
        ASSERT_EQ(found.present(), held_.count(k) != 0);
        if (found.present()) {
          ASSERT_EQ(table_.keys(found.bucket)[found.slot], k);
        } else {
          taken[k] = rounds.take(k, found, counters);
        }
      }
      for (const auto& [k, at] : taken) {
        const key before = table_.keys(at.bucket)[at.slot];
        ASSERT_EQ(before, at.reused_tombstone ? mark::tombstone : mark::empty) << "a slot was given twice";
        rounds.put(k, at, counters);
        ++held_[k];
      }
    }
  }

  /// Inserts different keys as lanes do that all look before any writes, those of a sector in order; those for whom
  /// there is no slot left look again.
  void insert_together(std::size_t lanes) {
    std::set<key> waiting;
    while (waiting.size() < lanes && held_.size() + waiting.size() + 1 < slots()) waiting.insert(draw());
    while (!waiting.empty()) {
      const std::map<key, typename table::position> taken = take_together(waiting);
      ASSERT_TRUE(waiting.empty() || !taken.empty()) << "nobody found a slot";
      for (const auto& [k, at] : taken) {
        ASSERT_EQ(table_.keys(at.bucket)[at.slot], at.reused_tombstone ? mark::tombstone : mark::empty)
            << "a slot was given twice";
        table_.keys(at.bucket)[at.slot] = k;
        ++held_[k];
        waiting.erase(k);
      }
    }
  }

  /// Where some keys may be put together; leaves out those that are there, and that wait no longer.
  std::map<key, typename table::position> take_together(std::set<key>& waiting) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> before;
    std::map<key, typename table::position> taken;
    for (auto k = waiting.begin(); k != waiting.end();) {
      const auto where = table_.find_or_free(lone_thread(), *k);
      if (!where.present) {
        const auto at = table::nth_free(where, before[{where.at.bucket, table::sectors::of(where.at.slot)}]++);
        if (at) taken[*k] = at;
      }
      k = where.present ? waiting.erase(k) : std::next(k);
    }
    return taken;
  }

  [[nodiscard]] bool any_occurs_before(const std::vector<typename table::position>& of) const {
    const detail::table_filling<table> filled(table_);
    return std::any_of(of.begin(), of.end(), [&filled](const auto& at) { return filled.occurs_before(at); });
  }

  [[nodiscard]] bool any_sector_has_equal() const {
    bool any = false;
    for (std::uint32_t k = 0; k < table_.buckets() * table::sectors::count; ++k) {
      any = any || detail::table_filling(table_).has_equal(k / table::sectors::count, k % table::sectors::count);
    }
    return any;
  }

  void change(bool erase) {
    const key k = draw();
    if (random_.below(2) == 0) {
      erase ? erase_by(lone_thread(), k) : insert_by(lone_thread(), k);
    } else {
      erase ? erase_by(cpu_tile<8>(), k) : insert_by(cpu_tile<8>(), k);
    }
  }

  void check() {
    std::uint32_t keys = 0;
    ASSERT_EQ(unreachable_keys(table_, keys), 0U);
    ASSERT_EQ(keys, held_.size());
    for (std::uint32_t bucket = 0; bucket < table_.buckets(); ++bucket) {
      for (std::uint32_t sector = 0; sector < table::sectors::count; ++sector) {
        ASSERT_FALSE(sector_has(table_, bucket, sector, key{mark::empty}) &&
                     sector_has(table_, bucket, sector, key{mark::tombstone}));
      }
    }
    for (key k = 0; k < 2 * slots(); ++k) {
      const bool known = held_.count(k) != 0;
      ASSERT_EQ(bool(table_.template find<access::plain>(lone_thread(), k)), known) << k;
      ASSERT_EQ(bool(table_.template find<access::plain>(cpu_tile<8>(), k)), known) << k;
      ASSERT_EQ(table_.find_or_free(lone_thread(), k).present, known) << k;
    }
  }

  seeded_random random_;
  std::map<key, int> held_;
  table table_;

 private:
  struct alignas(slab_bytes) slab {
    std::byte bytes[slab_bytes];
  };
  std::vector<slab> memory_;
};

using all_tables =
    types_to_test<types_kept(2, 4), table_types<std::uint32_t, none>, table_types<std::uint64_t, std::uint64_t>,
                  table_types<std::uint32_t, std::uint32_t>, table_types<std::uint32_t, std::uint64_t>,
                  table_types<std::uint64_t, none>, table_types<std::uint64_t, std::uint32_t>>;
TYPED_TEST_SUITE(slab_tables, all_tables);

TYPED_TEST(slab_tables, are_filled_up_to_the_last_slot) {
  for (const std::uint32_t buckets : {1, 2, 5, 40}) {
    this->begin(buckets);
    while (this->has_room()) {
      for (std::uint32_t k = 0; k < this->slots() / 4; ++k) this->fill(this->draw());
      this->check();
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(slab_tables, that_are_filled_by_counting_tell_of_repeats) {
  for (const std::uint32_t buckets : {1, 2, 9, 60}) {
    for (const std::uint64_t ids_a_slot : {1, 50, 10'000}) {
      for (int round = 0; round < 20; ++round) {
        this->begin(buckets);
        const std::uint32_t count = 1 + this->random_.below(this->slots());
        this->put_all(count, ids_a_slot * this->slots());
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TYPED_TEST(slab_tables, keep_their_promises_as_they_grow_full_and_empty) {
  for (const std::uint32_t buckets : {1, 3, 16}) {
    this->begin(buckets);
    for (std::uint32_t k = 0; k < this->slots() / 2; ++k) this->fill(this->draw());
    for (const std::uint32_t erase_percent : {10, 50, 90, 30, 60, 100, 0}) {
      for (std::uint32_t k = 0; k < 2 * this->slots(); ++k) this->change(this->random_.below(100) < erase_percent);
      this->check();
      this->insert_in_rounds(1 + this->random_.below(this->slots() / 3));
      this->check();
      this->insert_together(1 + this->random_.below(40));
      this->check();
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace

}  // namespace mangrove::test
