#pragma once

namespace mangrove {

/// How full a slab hash container may get. Load is keys and tombstones over slots.
struct slab_hash_options {
  double max_load = 0.8;  ///< the table is rebuilt before its load would exceed this; at most 1
  double target_load =
      0.6;  ///< the load of keys after the table was rebuilt because it was too full; at most `max_load`
};

}  // namespace mangrove
