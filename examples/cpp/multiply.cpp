// BLAS on the first device of a Runtime, with the programs of its store.
// Shows kiln/blas.hpp, kiln/blas/call.hpp, kiln/blas/explain.hpp, kiln/blas/level3.hpp,
// kiln/blas/plan.hpp.
#include <cstdio>
#include <kiln/blas.hpp>
#include <vector>

using namespace kiln::blas;

int main() {
  try {
    const kiln::Runtime runtime;
    const cl_command_queue queue = runtime.queues().front();
    cl_context context = nullptr;
    clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, nullptr);
    const std::size_t n = 256;
    std::vector<float> ones(n * n, 1.0f);
    const auto matrix = [&] {
      return clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                            ones.size() * sizeof(float), ones.data(), nullptr);
    };
    const cl_mem a = matrix(), b = matrix(), c = matrix();
    const Call product = gemm<float>(Order::row_major, Transpose::none, Transpose::none, n, n, n, 1,
                                     {a, 0, n}, {b, 0, n}, 1, {c, 0, n});
    const kiln::Event first = run(product, runtime);  // C = A B + C
    const kiln::Event second = run(product, runtime, {.after = {first}});
    Plan plan(product, runtime);  // prepared once, run many times
    second.wait();
    plan.repeat();
    float sum = 0;
    clEnqueueReadBuffer(queue, c, CL_TRUE, 0, sizeof sum, &sum, 0, nullptr, nullptr);
    std::printf("%sc[0] = %g\n", text_of(explain(product, runtime)).c_str(), sum);
    for (const cl_mem memory : {a, b, c}) clReleaseMemObject(memory);
  } catch (const kiln::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kiln::exit_code(error.code());
  }
}
