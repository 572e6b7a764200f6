#pragma once

#include "blas/api/operands.hpp"

namespace kiln::blas::testing {

inline std::span<const cl_command_queue> queues(std::size_t count) {
  return Machine::get().queues(count);
}

/// Integers, whose products and sums are exact: a result is right to the bit or wrong.
class Numbers {
 public:
  Numbers(std::size_t count, int seed) : host_(count) {
    for (std::size_t i = 0; i < count; ++i)
      host_[i] = static_cast<float>((static_cast<int>(i) * 7 + seed * 13) % 9 - 4);
    buffer_ =
        cl::Buffer(cl::Context(Machine::get().context(), true),
                   CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, count * sizeof(float), host_.data());
  }
  cl_mem memory() const { return buffer_(); }
  const std::vector<float>& host() const { return host_; }
  std::vector<float> now(cl_command_queue queue = Machine::get().queues()[0]) const {
    std::vector<float> now(host_.size());
    check_cl(::clEnqueueReadBuffer(queue, buffer_(), CL_TRUE, 0, now.size() * sizeof(float),
                                   now.data(), 0, nullptr, nullptr),
             "clEnqueueReadBuffer");
    return now;
  }

 private:
  std::vector<float> host_;
  cl::Buffer buffer_;
};

/// C := alpha A B + beta C of small numbers at offsets in larger buffers, and what C should be.
struct SmallProduct {
  static constexpr std::size_t m = 19, n = 70, k = 11, most_offset = 16;
  explicit SmallProduct(int seed = 0)
      : a(m * k + most_offset, seed),
        b(k * n + most_offset, seed + 1),
        c(m * n + most_offset, seed + 2) {}

  Call call(float alpha, float beta, std::size_t offset = 0) const {
    return blas::gemm(Order::column_major, Transpose::none, Transpose::none, m, n, k, alpha,
                      {a.memory(), offset, m}, {b.memory(), offset, k}, beta,
                      {c.memory(), offset, m});
  }
  std::vector<float> expected(float alpha, float beta, std::size_t offset = 0) const {
    auto all = c.host();
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < m; ++i) {
        float sum = 0;
        for (std::size_t l = 0; l < k; ++l)
          sum += a.host()[offset + l * m + i] * b.host()[offset + j * k + l];
        float& element = all[offset + j * m + i];
        element = alpha * sum + beta * element;
      }
    return all;
  }

  Numbers a, b, c;
};

}  // namespace kiln::blas::testing
