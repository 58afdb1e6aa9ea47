#include "triangle_count_impl.hpp"

namespace mangrove {

template std::uint64_t triangle_count(const cpu_resources&, const dynamic_graph<cpu, std::uint32_t, none>&);
template buffer<cpu, std::uint64_t> triangle_counts(const cpu_resources&,
                                                    const dynamic_graph<cpu, std::uint32_t, none>&);
template clustering<cpu> clustering_coefficients(const cpu_resources&, const dynamic_graph<cpu, std::uint32_t, none>&);
template std::uint64_t triangle_count(const cpu_resources&, const dynamic_graph<cpu, std::uint32_t, float>&);
template buffer<cpu, std::uint64_t> triangle_counts(const cpu_resources&,
                                                    const dynamic_graph<cpu, std::uint32_t, float>&);
template clustering<cpu> clustering_coefficients(const cpu_resources&, const dynamic_graph<cpu, std::uint32_t, float>&);
template std::uint64_t triangle_count(const cpu_resources&, const dynamic_graph<cpu, std::uint32_t, double>&);
template buffer<cpu, std::uint64_t> triangle_counts(const cpu_resources&,
                                                    const dynamic_graph<cpu, std::uint32_t, double>&);
template clustering<cpu> clustering_coefficients(const cpu_resources&,
                                                 const dynamic_graph<cpu, std::uint32_t, double>&);
template std::uint64_t triangle_count(const cpu_resources&, const dynamic_graph<cpu, std::uint64_t, none>&);
template buffer<cpu, std::uint64_t> triangle_counts(const cpu_resources&,
                                                    const dynamic_graph<cpu, std::uint64_t, none>&);
template clustering<cpu> clustering_coefficients(const cpu_resources&, const dynamic_graph<cpu, std::uint64_t, none>&);
template std::uint64_t triangle_count(const cpu_resources&, const dynamic_graph<cpu, std::uint64_t, float>&);
template buffer<cpu, std::uint64_t> triangle_counts(const cpu_resources&,
                                                    const dynamic_graph<cpu, std::uint64_t, float>&);
template clustering<cpu> clustering_coefficients(const cpu_resources&, const dynamic_graph<cpu, std::uint64_t, float>&);
template std::uint64_t triangle_count(const cpu_resources&, const dynamic_graph<cpu, std::uint64_t, double>&);
template buffer<cpu, std::uint64_t> triangle_counts(const cpu_resources&,
                                                    const dynamic_graph<cpu, std::uint64_t, double>&);
template clustering<cpu> clustering_coefficients(const cpu_resources&,
                                                 const dynamic_graph<cpu, std::uint64_t, double>&);

}  // namespace mangrove
