#include "triangle_count_impl.hpp"

namespace mangrove {

template std::uint64_t triangle_count(const cuda_resources&, const dynamic_graph<cuda, std::uint32_t, none>&);
template buffer<cuda, std::uint64_t> triangle_counts(const cuda_resources&,
                                                     const dynamic_graph<cuda, std::uint32_t, none>&);
template clustering<cuda> clustering_coefficients(const cuda_resources&,
                                                  const dynamic_graph<cuda, std::uint32_t, none>&);
template std::uint64_t triangle_count(const cuda_resources&, const dynamic_graph<cuda, std::uint32_t, float>&);
template buffer<cuda, std::uint64_t> triangle_counts(const cuda_resources&,
                                                     const dynamic_graph<cuda, std::uint32_t, float>&);
template clustering<cuda> clustering_coefficients(const cuda_resources&,
                                                  const dynamic_graph<cuda, std::uint32_t, float>&);
template std::uint64_t triangle_count(const cuda_resources&, const dynamic_graph<cuda, std::uint32_t, double>&);
template buffer<cuda, std::uint64_t> triangle_counts(const cuda_resources&,
                                                     const dynamic_graph<cuda, std::uint32_t, double>&);
template clustering<cuda> clustering_coefficients(const cuda_resources&,
                                                  const dynamic_graph<cuda, std::uint32_t, double>&);
template std::uint64_t triangle_count(const cuda_resources&, const dynamic_graph<cuda, std::uint64_t, none>&);
template buffer<cuda, std::uint64_t> triangle_counts(const cuda_resources&,
                                                     const dynamic_graph<cuda, std::uint64_t, none>&);
template clustering<cuda> clustering_coefficients(const cuda_resources&,
                                                  const dynamic_graph<cuda, std::uint64_t, none>&);
template std::uint64_t triangle_count(const cuda_resources&, const dynamic_graph<cuda, std::uint64_t, float>&);
template buffer<cuda, std::uint64_t> triangle_counts(const cuda_resources&,
                                                     const dynamic_graph<cuda, std::uint64_t, float>&);
template clustering<cuda> clustering_coefficients(const cuda_resources&,
                                                  const dynamic_graph<cuda, std::uint64_t, float>&);
template std::uint64_t triangle_count(const cuda_resources&, const dynamic_graph<cuda, std::uint64_t, double>&);
template buffer<cuda, std::uint64_t> triangle_counts(const cuda_resources&,
                                                     const dynamic_graph<cuda, std::uint64_t, double>&);
template clustering<cuda> clustering_coefficients(const cuda_resources&,
                                                  const dynamic_graph<cuda, std::uint64_t, double>&);

}  // namespace mangrove
