#include "mangrove/io/read_ahead.hpp"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "support.hpp"

namespace mangrove::io::test {
namespace {

/// Batches of one update each, with the sources 0 to `count` - 1.
class counting_source {
 public:
  explicit counting_source(std::uint64_t count) : count_(count) {}

  bool operator()(stream_batch& batch) {
    batch.clear();
    if (made_ == count_) return false;
    batch.updates.push_back(update_kind::insert, made_, 0);
    ++made_;
    return true;
  }
  [[nodiscard]] std::uint64_t made() const { return made_; }

 private:
  std::uint64_t count_;
  std::atomic<std::uint64_t> made_ = 0;
};

TEST(read_ahead, gives_all_batches_in_order) {
  counting_source source(1000);
  read_ahead ahead(std::ref(source));
  stream_batch batch;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    ASSERT_TRUE(ahead.next(batch));
    ASSERT_EQ(batch.updates.sources, std::vector<std::uint64_t>{i});
  }
  EXPECT_FALSE(ahead.next(batch));
  EXPECT_TRUE(batch.updates.empty());
  EXPECT_FALSE(ahead.next(batch));
}

TEST(read_ahead, stays_one_batch_ahead) {
  counting_source source(1000);
  read_ahead ahead(std::ref(source));
  stream_batch batch;
  for (std::uint64_t i = 1; i < 10; ++i) {
    ASSERT_TRUE(ahead.next(batch));
    for (int wait = 0; wait < 1000 && source.made() < i + 1; ++wait) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(source.made(), i + 1) << "the next batch is made while the caller has this one";
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_EQ(source.made(), i + 1) << "and no further one";
  }
}

TEST(read_ahead, carries_exceptions_over) {
  counting_source source(1000);
  read_ahead ahead([&](stream_batch& batch) {
    if (source.made() == 2) throw io_error("file", 7, "is broken");
    return source(batch);
  });
  stream_batch batch;
  EXPECT_TRUE(ahead.next(batch));
  EXPECT_TRUE(ahead.next(batch));
  expect_io_error([&] { ahead.next(batch); }, 7, "is broken");
  EXPECT_TRUE(batch.updates.empty());
  EXPECT_FALSE(ahead.next(batch));
}

TEST(read_ahead, can_be_destroyed_at_any_time) {
  for (int taken = 0; taken < 5; ++taken) {
    for (int repeat = 0; repeat < 50; ++repeat) {
      counting_source source(3);
      read_ahead ahead(std::ref(source));
      stream_batch batch;
      for (int i = 0; i < taken; ++i) ahead.next(batch);
    }
  }
}

}  // namespace
}  // namespace mangrove::io::test
