#pragma once

#include <cstddef>

namespace mangrove {

class cpu_resources;

namespace detail {

/// Calls a body, of a type that only this function knows, for the indices in [first, last).
using part_function = void (*)(const void* body, std::size_t first, std::size_t last);

/// Calls `run(body, first, last)` for parts that make up [0, count), on all threads of `res`, in no particular order.
/// Parts of more than `grain` indices may be split further.
///
/// This is no template, though that costs an indirect call for each part: oneTBB's loop is much code, and a copy of it
/// for each body is most of what there would be to compile.
void run_in_parts(const cpu_resources& res, std::size_t count, std::size_t grain, part_function run, const void* body);

/// Calls `f(i)` for every i in [0, count), each of which is worth a thread of its own, on all threads of `res`.
template <class F>
void run_each(const cpu_resources& res, std::size_t count, const F& f) {
  const part_function run = [](const void* body, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) (*static_cast<const F*>(body))(i);
  };
  run_in_parts(res, count, 1, run, &f);
}

}  // namespace detail
}  // namespace mangrove
