#pragma once

#include <cstddef>
#include <functional>

namespace kiln::bench {

/// The most bytes that the calling thread had from operator new at one time during `work`, beyond
/// what it had before. kiln-bench counts in its own operator new; what it hands out elsewhere costs
/// one look at a thread's variable.
std::size_t heap_peak(const std::function<void()>& work);

}  // namespace kiln::bench
