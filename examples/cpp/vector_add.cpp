// The job of specs/vector_add.json through the C++ API. Build: see CMakeLists.txt in this folder.
// Shows kiln/kernel.hpp.
#include <cstdio>
#include <kiln/kernel.hpp>

int main(int argc, char** argv) {
  const int n = 1 << 20;
  std::vector<float> a(n, 1.0f), b(n, 2.0f), c(n);
  try {
    const kiln::Runtime runtime;
    const kiln::Kernel vector_add = runtime.kernel(
        kiln::Source::file(argc > 1 ? argv[1] : "../kernels/vector_add.cl"), "vector_add");
    const kiln::RunSummary summary =
        vector_add(kiln::in(a), kiln::in(b), kiln::out(c), n)
            .run({.global = {n}, .local = {64}}, {.partition = "auto"});
    std::printf("c[7] = %g, %zu device(s), %.3f ms\n", c[7], runtime.devices().size(),
                static_cast<double>(summary.wall_ns) * 1e-6);
  } catch (const kiln::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kiln::exit_code(error.code());
  }
}
