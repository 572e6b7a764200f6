// bench-kernel_calls: prints the median time, in microseconds, of a prepared call of a small kernel
// that is waited for: the C++ side of what Python adds.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "kiln/kernel.hpp"

int main() {
  constexpr const char* text =
      "kernel void saxpy(global const float *x, global float *y, float a) {\n"
      "  y[get_global_id(0)] += a * x[get_global_id(0)];\n}";
  const kiln::Runtime runtime({.devices = "cpu"});
  const auto x = runtime.array<float>(16), y = runtime.array<float>(16);
  kiln::KernelCall call = runtime.kernel(kiln::Source::text(text), "saxpy")(x, y, 2.0F);
  const kiln::Range range{{16}, {16}};
  std::vector<double> rounds;
  for (int round = 0; round < 7; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 200; ++i) call.run(range);
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    rounds.push_back(time.count() / 200);
  }
  std::nth_element(rounds.begin() + 2, rounds.begin() + 4, rounds.end());
  std::printf("%.3f\n", rounds[4]);
}
