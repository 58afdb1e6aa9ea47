#include <cuda.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <string>
#include <utility>

#include "mangrove/core/detail/cuda_check.hpp"
#include "mangrove/core/mapped_region.hpp"

namespace mangrove::detail {

namespace {

/// The driver's virtual-memory calls, found at run time: a program must start on machines that have no driver.
struct driver_calls {
  decltype(&cuMemGetAllocationGranularity) granularity;
  decltype(&cuMemAddressReserve) reserve;
  decltype(&cuMemAddressFree) release;
  decltype(&cuMemCreate) create;
  decltype(&cuMemRelease) destroy;
  decltype(&cuMemMap) map;
  decltype(&cuMemUnmap) unmap;
  decltype(&cuMemSetAccess) set_access;
};

template <class F>
void find_call(F& call, const char* name) {
  cudaDriverEntryPointQueryResult found{};
  void* address = nullptr;
  cuda_check(cudaGetDriverEntryPointByVersion(name, &address, 12000, cudaEnableDefault, &found), "find a driver call");
  if (found != cudaDriverEntryPointSuccess) {
    throw backend_error(std::string("the CUDA driver has no ") + name + "; install a newer driver");
  }
  call = reinterpret_cast<F>(address);
}

const driver_calls& driver() {
  static const driver_calls calls = [] {
    driver_calls found{};
    find_call(found.granularity, "cuMemGetAllocationGranularity");
    find_call(found.reserve, "cuMemAddressReserve");
    find_call(found.release, "cuMemAddressFree");
    find_call(found.create, "cuMemCreate");
    find_call(found.destroy, "cuMemRelease");
    find_call(found.map, "cuMemMap");
    find_call(found.unmap, "cuMemUnmap");
    find_call(found.set_access, "cuMemSetAccess");
    return found;
  }();
  return calls;
}

void driver_check(CUresult status, const char* doing, std::size_t bytes) {
  if (status == CUDA_SUCCESS) return;
  const std::string message = std::string("CUDA failed to ") + doing + " (" + std::to_string(bytes >> 20) +
                              " MiB, driver error " + std::to_string(static_cast<int>(status)) + ")";
  if (status == CUDA_ERROR_OUT_OF_MEMORY) throw memory_error(message + "; use a smaller graph or batch");
  throw backend_error(message);
}

CUmemAllocationProp allocation_on(int device) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
  return properties;
}

CUdeviceptr address_of(const std::byte* data) {
  return reinterpret_cast<CUdeviceptr>(data);
}

}  // namespace

device_region::device_region(const cuda_resources& res, std::size_t capacity, fresh_memory holds)
    : resources_(res), holds_(holds) {
  res.activate();
  cuda_check(cudaFree(nullptr), "start the device");
  const CUmemAllocationProp properties = allocation_on(res.device());
  driver_check(driver().granularity(&granularity_, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM), "read page sizes",
               0);
  capacity_ = (std::max<std::size_t>(capacity, 1) + granularity_ - 1) / granularity_ * granularity_;
  CUdeviceptr address{};
  driver_check(driver().reserve(&address, capacity_, 0, 0, 0), "reserve addresses", capacity_);
  data_ = reinterpret_cast<std::byte*>(address);
}

device_region::device_region(device_region&& other) noexcept
    : resources_(other.resources_),
      holds_(other.holds_),
      data_(std::exchange(other.data_, nullptr)),
      capacity_(std::exchange(other.capacity_, 0)),
      committed_(std::exchange(other.committed_, 0)),
      granularity_(other.granularity_),
      chunks_(std::move(other.chunks_)) {}

device_region& device_region::operator=(device_region&& other) noexcept {
  std::swap(resources_, other.resources_);
  std::swap(holds_, other.holds_);
  std::swap(data_, other.data_);
  std::swap(capacity_, other.capacity_);
  std::swap(committed_, other.committed_);
  std::swap(granularity_, other.granularity_);
  std::swap(chunks_, other.chunks_);
  return *this;
}

device_region::~device_region() {
  release();
}

void device_region::release() noexcept {
  if (data_ == nullptr) return;
  cudaStreamSynchronize(resources_.stream());  // kernels that use the memory may still be queued
  std::size_t offset = 0;
  for (const chunk& mapped : chunks_) {
    driver().unmap(address_of(data_ + offset), mapped.bytes);
    driver().destroy(mapped.handle);
    offset += mapped.bytes;
  }
  driver().release(address_of(data_), capacity_);
  resources_.memory().uncommit(committed_);
}

void device_region::map_chunk(std::size_t bytes) {
  const CUmemAllocationProp properties = allocation_on(resources_.device());
  const CUdeviceptr address = address_of(data_ + committed_);
  CUmemGenericAllocationHandle handle{};
  driver_check(driver().create(&handle, bytes, &properties, 0), "create device memory", bytes);
  CUresult status = driver().map(address, bytes, 0, handle, 0);
  if (status != CUDA_SUCCESS) {
    driver().destroy(handle);
    driver_check(status, "map device memory", bytes);
  }
  const CUmemAccessDesc access{properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  status = driver().set_access(address, bytes, &access, 1);
  if (status != CUDA_SUCCESS) {
    driver().unmap(address, bytes);
    driver().destroy(handle);
    driver_check(status, "open device memory for access", bytes);
  }
  chunks_.push_back({handle, bytes});
}

void device_region::commit(std::size_t bytes) {
  if (bytes <= committed_) return;
  if (bytes > capacity_) throw memory_error("a growing device array ran out of reserved addresses");
  resources_.activate();
  const std::size_t target = (bytes + granularity_ - 1) / granularity_ * granularity_;
  const std::size_t more = target - committed_;
  chunks_.reserve(chunks_.size() + 1);  // so that nothing can fail once memory is mapped
  resources_.memory().commit(more);
  try {
    map_chunk(more);
  } catch (...) {
    resources_.memory().uncommit(more);
    throw;
  }
  committed_ = target;
  if (holds_ == fresh_memory::zeros) {
    cuda_check(cudaMemsetAsync(data_ + target - more, 0, more, resources_.stream()), "clear device memory");
  }
}

}  // namespace mangrove::detail
