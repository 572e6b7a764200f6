// The job of specs/vector_add.json through the C++ API. Build: see CMakeLists.txt beside this file.
#include <cstdio>
#include <kiln/run.hpp>

int main(int argc, char** argv) {
  const std::size_t n = 1 << 20;
  std::vector<float> a(n, 1.0f), b(n, 2.0f), c(n);
  try {
    const kiln::Machine machine("all");
    kiln::KernelRun run(machine, argc > 1 ? argv[1] : "../kernels/vector_add.cl", "vector_add");
    run.in<float>(a).in<float>(b).out<float>(c).value(static_cast<int>(n));
    const kiln::RunSummary summary = run.run({{n}, {64}}, "auto");
    std::printf("c[7] = %g, %zu device(s), %.3f ms\n", c[7], machine.devices().size(),
                static_cast<double>(summary.wall_ns) * 1e-6);
  } catch (const kiln::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kiln::exit_code(error.code());
  }
}
