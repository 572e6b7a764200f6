// Batches of BLAS calls: many small products in one launch, and calls of any kind at once.
// Shows kiln/blas/batch.hpp.
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
    constexpr std::size_t n = 8, count = 10'000, each = n * n;
    std::vector<float> ones(count * each, 1.0f);
    const auto matrices = [&] {
      return clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                            ones.size() * sizeof(float), ones.data(), nullptr);
    };
    const cl_mem a = matrices(), b = matrices(), c = matrices();
    const auto last = [&] {
      float value = 0;
      clEnqueueReadBuffer(queue, c, CL_TRUE, (count * each - 1) * sizeof value, sizeof value,
                          &value, 0, nullptr, nullptr);
      return value;
    };

    // C = A B for all of them; the items lie one behind another.
    const Call one = gemm<float>(Order::row_major, Transpose::none, Transpose::none, n, n, n, 1,
                                 {a, 0, n}, {b, 0, n}, 0, {c, 0, n});
    const Call all = batched(one, count, {.a = each, .b = each, .c = each});
    run(all, queue);
    std::printf("%slast = %g\n", text_of(explain(all, queue)).c_str(), last());

    // Two of them, at places and with scalars of their own: the last C is 2 A B + C.
    const std::size_t end = (count - 1) * each;
    const std::vector<BatchItem> items{{.a = 0, .b = end, .c = 0, .alpha = 0.5},
                                       {.a = end, .b = 0, .c = end, .alpha = 2, .beta = 1}};
    Batch places(one, items, queue);
    places.run();
    std::printf("last = %g\n", last());

    // Calls of any kind, none of which writes what another one uses.
    const std::vector<Call> calls{batched(one, 4, {.a = each, .b = 0, .c = each}),
                                  axpy(each, 1.0f, {a, 4 * each}, {c, end})};
    run(std::span<const Call>(calls), {&queue, 1});
    std::printf("last = %g\n", last());
    for (const cl_mem memory : {a, b, c}) clReleaseMemObject(memory);
  } catch (const kiln::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kiln::exit_code(error.code());
  }
}
