#pragma once

#include <functional>

namespace kiln::rival {

/// Milliseconds of a call among its like, as a solver makes them: calls one after another for
/// 10 ms unmeasured, so that threads, clocks and caches are as the calls themselves leave them,
/// then calls for 10 ms, of which this is the mean. The same for all sides.
double burst(const std::function<void()>& call);

}  // namespace kiln::rival
