// One layer of a language model: weights of 4 bits in groups with a scale each, times a vector,
// with a bias and GELU, in one call.
#include <cstdint>
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
    const auto memory_of = [&](auto& values) {
      return clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                            values.size() * sizeof values[0], values.data(), nullptr);
    };
    constexpr std::size_t rows = 1024, k = 2048, group = 128;
    constexpr std::uint16_t half_of_a_half = 0x3400;        // 0.25 as IEEE 754 binary16
    std::vector<std::uint8_t> weights(rows * k / 2, 0x1F);  // two of 4 bits each: -1, then 1
    std::vector<std::uint16_t> scales(rows * k / group, half_of_a_half);
    std::vector<float> x(k), bias(rows, 1.0f), y(rows);
    for (std::size_t i = 0; i < k; ++i) x[i] = i % 2 == 0 ? -1.0f : 0.5f;
    const cl_mem w = memory_of(weights), s = memory_of(scales), in = memory_of(x),
                 b = memory_of(bias), out = memory_of(y);

    // The weights lie row by row: by columns that is the transpose.
    Call layer = gemm<float>(Order::column_major, Transpose::transpose, Transpose::none, rows, 1, k,
                             1.0f, {w, 0, k, Storage::int4}, {in, 0, k}, 0, {out, 0, rows});
    layer.group_a = group;
    layer[Slot::scale_a] = Block(s);
    layer.epilogue = {.bias = Along::rows, .activation = Activation::gelu};
    layer[Slot::bias] = Vector(b);
    run(layer, queue);
    clEnqueueReadBuffer(queue, out, CL_TRUE, 0, rows * sizeof y[0], y.data(), 0, nullptr, nullptr);
    std::printf("%sy = %g\n", text_of(explain(layer, queue)).c_str(),
                static_cast<double>(y.back()));  // 0.25 (1024 + 512) + 1
    for (const cl_mem memory : {w, s, in, b, out}) clReleaseMemObject(memory);
  } catch (const kiln::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kiln::exit_code(error.code());
  }
}
