// bench-kernel_calls [ELEMENTS [THREADS]]: prints the median time, in microseconds, of a prepared
// call of a kernel that is waited for, by threads on one Runtime with arrays of their own: the C++
// side of what Python adds.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "kiln/kernel.hpp"

namespace {

constexpr const char* text =
    "kernel void saxpy(global const float *x, global float *y, float a) {\n"
    "  y[get_global_id(0)] += a * x[get_global_id(0)];\n}";
constexpr int calls = 200, rounds = 7;

}  // namespace

int main(int argc, char** argv) {
  const std::size_t elements = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 16;
  const std::size_t threads = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1;
  const kiln::Runtime runtime({.devices = "cpu"});
  const kiln::Range range{{elements}, {16}};
  std::vector<kiln::KernelCall> prepared;
  for (std::size_t i = 0; i < threads; ++i) {
    const auto x = runtime.array<float>(elements), y = runtime.array<float>(elements);
    prepared.push_back(runtime.kernel(kiln::Source::text(text), "saxpy")(x, y, 2.0F));
    prepared.back().run(range);
  }
  const auto run = [&](kiln::KernelCall& call) {
    for (int i = 0; i < calls; ++i) call.run(range);
  };
  std::vector<double> found;
  for (int round = 0; round < rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back(run, std::ref(prepared[i]));
    run(prepared[0]);
    for (auto& other : others) other.join();
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    found.push_back(time.count() / calls / static_cast<double>(threads));
  }
  std::nth_element(found.begin(), found.begin() + rounds / 2, found.end());
  std::printf("%.3f\n", found[rounds / 2]);
}
