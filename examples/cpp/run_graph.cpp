// A graph of calls of several kinds, planned over the devices and run twice: kernels, a product by
// BLAS, and a function of the host. What waits for what follows from the Arrays.
// Shows kiln/graph.hpp.
#include <cstdio>
#include <cstring>
#include <kiln/blas/level3.hpp>
#include <kiln/graph.hpp>

namespace {

constexpr const char* text = R"(
kernel void fill(global float* made, float first) {
  const size_t i = get_global_id(0);
  made[i] = first + (float)(i % 4);
}
kernel void add(global const float* a, global const float* b, global float* sum) {
  const size_t i = get_global_id(0);
  sum[i] = a[i] + b[i];
})";

}  // namespace

int main() {
  try {
    using namespace kiln;
    const Runtime runtime;
    const std::size_t n = 64;
    const Range all{{n * n}};
    const Kernel fill = runtime.kernel(Source::text(text), "fill");
    const Kernel add = runtime.kernel(Source::text(text), "add");

    Graph graph(runtime);
    // What tasks hand to one another; their memory is the plan's.
    const Array<float> a = graph.array<float>(n * n), b = graph.array<float>(n * n);
    const Array<float> product = graph.array<float>(n * n), sum = graph.array<float>(n * n);
    graph.add(fill(a, 1.0f), all, {.label = "fill a"});
    graph.add(fill(b, 2.0f), all, {.label = "fill b"});  // may run next to the first
    const auto matrix = [&](const Array<float>& array) {
      return blas::Matrix{graph.memory(array), 0, n};  // a placeholder: no handle of OpenCL
    };
    graph.add(blas::gemm<float>(blas::Order::row_major, blas::Transpose::none,
                                blas::Transpose::none, n, n, n, 1, matrix(a), matrix(b), 0,
                                matrix(product)));
    graph.add(add(product, a, sum), all);
    std::vector<double> totals;
    graph.add_host(
        [&](std::span<const std::span<std::byte>> memory) {
          double total = 0;
          for (std::size_t i = 0; i < n * n; ++i) {
            float element = 0;
            std::memcpy(&element, memory[0].data() + i * sizeof element, sizeof element);
            total += element;
          }
          totals.push_back(total);
        },
        {Graph::reads(sum)}, {.label = "total"});
    graph.keep(sum);  // to be read after a run, although a task reads it

    GraphPlan plan = graph.plan();
    plan.run();
    plan.run();  // the same commands again

    for (const GraphReport::Task& task : plan.report().tasks)
      std::printf("%-8s %s\n", task.name.c_str(), task.on_host ? "on the host" : "on a device");
    // Rows of a are 1 2 3 4 1 2 …, of b 2 3 4 5 2 3 …: in float all of it is exact.
    const bool right = totals == std::vector<double>{2304000, 2304000} && sum.read()[0] == 321;
    std::printf("total = %.0f, %s\n", totals.back(), right ? "twice" : "which is wrong");
    return right ? 0 : 1;
  } catch (const kiln::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kiln::exit_code(error.code());
  }
}
