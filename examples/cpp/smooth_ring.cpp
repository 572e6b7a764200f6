// A loop over a mesh in the context of a Runtime, next to a kernel of one's own.
// Shows kiln/mesh.hpp, kiln/mesh/data.hpp, kiln/mesh/map.hpp, kiln/mesh/mesh.hpp,
// kiln/mesh/par_loop.hpp, kiln/mesh/set.hpp.
#include <cstdio>
#include <kiln/kernel.hpp>
#include <kiln/mesh.hpp>

using namespace kiln::mesh;

int main() {
  try {
    const kiln::Runtime runtime;
    Mesh mesh(runtime);
    const std::size_t n = 1000;
    const Set nodes = mesh.set("nodes", n), edges = mesh.set("edges", n);
    std::vector<std::int32_t> ends;
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) {
      ends.insert(ends.end(),
                  {static_cast<std::int32_t>(i), static_cast<std::int32_t>((i + 1) % n)});
      values[i] = static_cast<double>(i % 2);
    }
    const Map ring = mesh.map("ring", edges, nodes, 2, ends);
    const Dat x = mesh.dat<double>("x", nodes, 1, std::span<const double>(values));
    const Dat sum = mesh.dat<double>("sum", nodes, 1);
    par_loop(Kernel("void gather(double* to_a, double* to_b, double* a, double* b) {"
                    "  *to_a += 0.5 * *b; *to_b += 0.5 * *a; }",
                    "gather"),
             edges, arg(sum, ring[0], INC), arg(sum, ring[1], INC), arg(x, ring[0], READ),
             arg(x, ring[1], READ));
    std::vector<double> means(n);
    std::ranges::copy(sum.read<double>(), means.begin());
    const auto scale = runtime.kernel(
        kiln::Source::text(
            "__kernel void scale(__global double* x) { x[get_global_id(0)] *= 10; }"),
        "scale");
    scale(kiln::inout(means)).run({.global = {n}, .local = {8}});
    std::printf("%g %g\n", means[6], means[7]);
  } catch (const kiln::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kiln::exit_code(error.code());
  }
}
