#include "mangrove/core/for_each.cuh"

#include "clustering_impl.hpp"
#include "oriented_graph_impl.hpp"
#include "recount_impl.hpp"

namespace mangrove {

namespace detail::triangles {

template <class Corners>
std::uint64_t count_all(const cuda_resources& res, const oriented_graph<cuda>& graph, Corners corners) {
  tally<cuda> total(res);
  if (graph.order == vertex_order::by_degree) {
    count_by_searching(res, graph, corners, total.ref());
  } else {
    count_by_merging(res, graph, corners, total.ref());
  }
  return total.total(res);
}

}  // namespace detail::triangles

template oriented_graph<cuda> orient(const cuda_resources&, const csr_view<cuda>&, vertex_order);
template std::uint64_t count_oriented(const cuda_resources&, const oriented_graph<cuda>&);
template buffer<cuda, std::uint64_t> count_oriented_by_vertex(const cuda_resources&, const oriented_graph<cuda>&);
template detail::triangles::triangle_difference detail::triangles::recount(const cuda_resources&, const csr_view<cuda>&,
                                                                           const graph_change<cuda>&, std::uint64_t);
template clustering<cuda> detail::triangles::clustering_of(const cuda_resources&, const csr_view<cuda>&, std::uint64_t);

}  // namespace mangrove
