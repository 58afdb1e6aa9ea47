#include "mangrove/core/for_each.hpp"

#include "apps/read_vertices.hpp"

namespace mangrove::app {

template vertex_rows read_vertices<cpu>(const cpu_resources&, const app_graph<cpu>&);

}  // namespace mangrove::app
