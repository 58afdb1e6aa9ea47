#pragma once

#include "ordered_query_impl.hpp"
#include "sorted_array_erase_bodies.hpp"
#include "sorted_array_impl.hpp"

namespace mangrove::detail {

template <backend B, class Key>
std::size_t sorted_array_storage<B, Key>::erase(const resources<B>& res, const void* keys, std::size_t count,
                                                std::uint8_t* erased) {
  check_batch_size(count);
  if (count == 0) return 0;
  const std::size_t chunks = array_chunks<B>(size_);
  buffer<B, std::uint32_t> marks(res, size_ / 32 + 1);
  buffer<B, std::uint32_t> kept(res, chunks);
  buffer<B, std::uint32_t> kept_before(res, chunks + 1);
  secure(back(), size_);
  fill_bytes(res, marks.data(), 0, marks.size());
  search_each<search_lanes>(res, count, mark_array_key<Key>{view(), keys, marks.data(), erased});
  const marked_places places{marks.data(), size_, array_chunk<B>};
  for_each_task<array_lanes>(res, chunks, count_kept{places, kept.data()});
  exclusive_scan(res, kept.data(), kept_before.data(), chunks);
  const std::size_t left = read_back(res, kept_before.data() + chunks);
  const std::size_t gone = size_ - left;
  if (gone == 0) return 0;
  const array_output<Key> to{back().keys.data(), back().values.data()};
  for_each_task<array_lanes>(res, chunks, write_kept<Key>{view(), places, kept_before.data(), to});
  front_ = 1 - front_;
  become(res, left);
  res.synchronize();
  return gone;
}

}  // namespace mangrove::detail
