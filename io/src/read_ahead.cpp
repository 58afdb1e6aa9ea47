#include "mangrove/io/read_ahead.hpp"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace mangrove::io {

class read_ahead::implementation {
 public:
  explicit implementation(source fill) : source_(std::move(fill)), thread_([this] { run(); }) {}

  ~implementation() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  bool next(stream_batch& batch) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ready_ || ended_; });
    if (!ready_) {
      batch.clear();
      if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
      return false;
    }
    std::swap(batch, prepared_);
    ready_ = false;
    lock.unlock();
    changed_.notify_all();
    return true;
  }

 private:
  /// The reading thread owns `prepared_` while it is not ready, the caller while it is.
  void run() {
    for (;;) {
      bool more = false;
      std::exception_ptr failure;
      try {
        more = source_(prepared_);
      } catch (...) {
        failure = std::current_exception();
      }
      std::unique_lock lock(mutex_);
      ready_ = more;
      ended_ = !more;
      failure_ = std::move(failure);  // the caller alone frees what it catches
      changed_.notify_all();
      changed_.wait(lock, [this] { return !ready_ || stop_; });
      if (ended_ || stop_) return;
    }
  }

  source source_;
  stream_batch prepared_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ready_ = false;
  bool ended_ = false;
  bool stop_ = false;
  std::exception_ptr failure_;
  std::thread thread_;  // last: it uses all of the above
};

read_ahead::read_ahead(source fill) : implementation_(std::make_unique<implementation>(std::move(fill))) {}
read_ahead::~read_ahead() = default;

bool read_ahead::next(stream_batch& batch) {
  return implementation_->next(batch);
}

}  // namespace mangrove::io
