#include "mangrove/core/for_each.cuh"

#include "generate_edges.hpp"

namespace mangrove::io {

edge_list generate(const cuda_resources& res, const rmat_options& options) {
  return detail::generate_on<cuda>(res, options);
}
edge_list generate(const cuda_resources& res, const rgg_options& options) {
  return detail::generate_on<cuda>(res, options);
}
edge_list generate(const cuda_resources& res, const road_options& options) {
  return detail::generate_on<cuda>(res, options);
}
edge_list generate(const cuda_resources& res, const mesh_options& options) {
  return detail::generate_on<cuda>(res, options);
}

}  // namespace mangrove::io
