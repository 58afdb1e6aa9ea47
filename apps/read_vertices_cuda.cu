#include "mangrove/core/for_each.cuh"

#include "apps/read_vertices.hpp"

namespace mangrove::app {

template vertex_rows read_vertices<cuda>(const cuda_resources&, const app_graph<cuda>&);

}  // namespace mangrove::app
