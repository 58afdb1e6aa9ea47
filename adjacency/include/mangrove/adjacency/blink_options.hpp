#pragma once

namespace mangrove {

/// How full the leaves of a B-link tree are made.
struct blink_options {
  double fill = 0.75;  ///< keys over slots in leaves that are built or split by batches; from 0.25 to 1
};

}  // namespace mangrove
