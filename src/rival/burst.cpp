#include "rival/burst.hpp"

#include "base/clock.hpp"

namespace kiln::rival {

double burst(const std::function<void()>& call) {
  constexpr double least_ns = 10e6;
  double mean = 0;
  for (int round = 0; round < 2; ++round) {
    const auto start = now_ns();
    double spent = 0;
    int calls = 0;
    do {
      call();
      ++calls;
      spent = static_cast<double>(now_ns() - start);
    } while (spent < least_ns);
    mean = spent / calls * 1e-6;
  }
  return mean;
}

}  // namespace kiln::rival
