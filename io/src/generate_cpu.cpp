#include "mangrove/core/for_each.hpp"

#include "generate_edges.hpp"

namespace mangrove::io {

edge_list generate(const cpu_resources& res, const rmat_options& options) {
  return detail::generate_on<cpu>(res, options);
}
edge_list generate(const cpu_resources& res, const rgg_options& options) {
  return detail::generate_on<cpu>(res, options);
}
edge_list generate(const cpu_resources& res, const road_options& options) {
  return detail::generate_on<cpu>(res, options);
}
edge_list generate(const cpu_resources& res, const mesh_options& options) {
  return detail::generate_on<cpu>(res, options);
}

}  // namespace mangrove::io
