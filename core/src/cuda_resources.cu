#include <cuda_runtime_api.h>

#include <string>

#include "mailbox.hpp"
#include "mangrove/core/detail/cuda_check.hpp"
#include "mangrove/core/detail/prepared_kernels.hpp"
#include "mangrove/core/resources.hpp"
#include "mangrove/core/transfer.hpp"
#include "second_stream.hpp"

namespace mangrove {

using detail::cuda_check;

namespace {

/// The device's own stream-ordered pool; it keeps what is freed, so that the next batch finds it again.
class pooled_device_memory final : public memory_resource {
 public:
  explicit pooled_device_memory(int device) {
    cudaMemPool_t pool{};
    cuda_check(cudaDeviceGetDefaultMemPool(&pool, device), "find the device's memory pool");
    std::uint64_t keep = ~std::uint64_t{0};
    cuda_check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep),
               "set up the device's memory pool");
  }

  void* allocate(std::size_t bytes, void* stream) override {
    void* pointer = nullptr;
    const cudaError_t status = cudaMallocAsync(&pointer, bytes, static_cast<cudaStream_t>(stream));
    if (status == cudaErrorMemoryAllocation) {
      static_cast<void>(cudaGetLastError());
      throw memory_error("the device refused " + std::to_string(bytes) + " bytes; use a smaller graph or batch");
    }
    cuda_check(status, "allocate device memory");
    return pointer;
  }

  void deallocate(void* pointer, std::size_t, void* stream) noexcept override {
    cudaFreeAsync(pointer, static_cast<cudaStream_t>(stream));
  }
};

void require_device(int device) {
  const int count = cuda_device_count();
  if (device >= 0 && device < count) return;
  throw backend_error(count == 0 ? std::string("no CUDA device can be used: there is no NVIDIA GPU, or its driver is "
                                               "missing or too old; use the CPU backend")
                                 : "there is no CUDA device " + std::to_string(device) + ", only 0 to " +
                                       std::to_string(count - 1));
}

enum class urgency { usual, first };

/// @param blocks when blocks of its kernels are put in place, where another stream's could be, too
CUstream_st* make_stream(int device, urgency blocks = urgency::usual) {
  require_device(device);
  cuda_check(cudaSetDevice(device), "select a device");
  int least = 0;
  int greatest = 0;
  cuda_check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "read the priorities of streams");
  cudaStream_t stream{};
  cuda_check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, blocks == urgency::first ? greatest : least),
             "make a stream");
  return stream;
}

void end_stream(CUstream_st* stream) {
  cudaStreamDestroy(stream);
}

std::shared_ptr<CUevent_st> make_event() {
  cudaEvent_t event{};
  cuda_check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "make an event");
  return {event, [](CUevent_st* made) { cudaEventDestroy(made); }};
}

bool can_overlap_kernels(int device) {
  int major = 0;
  cuda_check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "read a device's properties");
  return major >= 9;
}

}  // namespace

std::shared_ptr<memory_resource> default_device_memory(int device) {
  require_device(device);
  return std::make_shared<pooled_device_memory>(device);
}

cuda_resources::cuda_resources(int device, std::shared_ptr<memory_resource> memory)
    : device_(device),
      stream_(make_stream(device), &end_stream),
      memory_(memory != nullptr ? std::move(memory) : default_device_memory(device)),
      mail_(std::make_shared<detail::mailbox>()),
      kernels_(std::make_shared<detail::prepared_kernels>()),
      second_(std::make_shared<detail::second_stream>()),
      overlaps_kernels_(can_overlap_kernels(device)) {}

cuda_resources::cuda_resources(int device, CUstream_st* stream, std::shared_ptr<memory_resource> memory)
    : device_(device),
      stream_(stream, [](CUstream_st*) {}),
      memory_(memory != nullptr ? std::move(memory) : default_device_memory(device)),
      mail_(std::make_shared<detail::mailbox>()),
      kernels_(std::make_shared<detail::prepared_kernels>()),
      second_(std::make_shared<detail::second_stream>()),
      overlaps_kernels_(can_overlap_kernels(device)) {}

cuda_resources cuda_resources::on_second_stream() const {
  cuda_resources same = *this;
  same.stream_ = second_->get(*this);
  same.group_ = nullptr;
  return same;
}

void cuda_resources::wait_for(const cuda_resources& other) const {
  second_->let_wait(*this, other);
}

void cuda_resources::synchronize() const {
  cuda_check(cudaStreamSynchronize(stream_.get()), "finish the work on a stream");
}

void cuda_resources::activate() const {
  cuda_check(cudaSetDevice(device_), "select a device");
}

int cuda_device_count() noexcept {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  static_cast<void>(cudaGetLastError());
  return 0;
}

std::string cuda_device_name(int device) {
  require_device(device);
  cudaDeviceProp properties{};
  cuda_check(cudaGetDeviceProperties(&properties, device), "read a device's properties");
  return properties.name;
}

namespace detail {

std::shared_ptr<CUstream_st> second_stream::get(const cuda_resources& res) {
  const std::lock_guard lock(busy_);
  if (stream_ == nullptr) {
    stream_ = {make_stream(res.device(), urgency::first), &end_stream};
  }
  return stream_;
}

void second_stream::let_wait(const cuda_resources& waiting, const cuda_resources& others) {
  const std::lock_guard lock(busy_);  // who waits, waits for what was marked last
  waiting.activate();
  if (reached_ == nullptr) reached_ = make_event();
  cuda_check(cudaEventRecord(reached_.get(), others.stream()), "mark where a stream is");
  cuda_check(cudaStreamWaitEvent(waiting.stream(), reached_.get(), 0), "let a stream wait for another one");
}

void copy_bytes(const cuda_resources& res, void* to, const void* from, std::size_t bytes) {
  res.activate();
  cuda_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, res.stream()), "copy memory");
}

void fill_bytes(const cuda_resources& res, void* to, int value, std::size_t bytes) {
  res.activate();
  cuda_check(cudaMemsetAsync(to, value, bytes, res.stream()), "set memory");
}

}  // namespace detail
}  // namespace mangrove
