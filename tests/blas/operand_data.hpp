#pragma once

#include <complex>
#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

#include "blas/call/call.hpp"
#include "blas/machine.hpp"

namespace kiln::blas::testing {

template <class T>
using Real = RealOf<T>;

template <class T>
T conjugate_if(bool conjugated, const T& value) {
  if constexpr (std::is_same_v<T, Real<T>>)
    return value;
  else
    return conjugated ? std::conj(value) : value;
}

/// The memory of one argument, on the host: everything that the buffer holds, so that what a
/// routine must not touch (before the offset, between the lines, behind the end) is compared, too.
/// It is filled with numbers in [-1, 1) from a seed, never with zeros.
template <class T>
class OperandData {
 public:
  static constexpr std::size_t guard = 5;  ///< elements behind the end

  /// A vector of n elements.
  static OperandData vector(std::size_t n, int inc, std::size_t offset, unsigned seed) {
    const std::size_t step = static_cast<std::size_t>(std::abs(inc));
    return {n == 0 ? 0 : (n - 1) * step + 1, offset, inc, n, seed};
  }
  /// A matrix; `lines` columns of `length` elements in column-major order, or rows.
  static OperandData matrix(std::size_t length, std::size_t lines, std::size_t ld,
                            std::size_t offset, unsigned seed) {
    return {lines == 0 ? 0 : (lines - 1) * ld + length, offset, static_cast<std::int64_t>(ld),
            length, seed};
  }

  std::vector<T>& all() { return all_; }
  const std::vector<T>& all() const { return all_; }
  std::size_t offset() const { return offset_; }
  /// The index in all() of element i of a vector.
  std::size_t at(std::size_t i) const {
    const auto n = static_cast<std::int64_t>(length_), k = static_cast<std::int64_t>(i);
    return offset_ + static_cast<std::size_t>(stride_ < 0 ? (k - n + 1) * stride_ : k * stride_);
  }
  /// The index in all() of element (row, column) of a matrix.
  std::size_t at(Order order, std::size_t row, std::size_t column) const {
    const auto ld = static_cast<std::size_t>(stride_);
    return offset_ + (order == Order::column_major ? column * ld + row : row * ld + column);
  }

  /// A buffer with the contents, as the argument of a call.
  Operand upload() {
    const std::size_t bytes = all_.size() * sizeof(T);
    buffer_ = cl::Buffer(cl::Context(Machine::get().context(), true),
                         CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, all_.data());
    return {buffer_(), offset_, stride_};
  }
  /// What the buffer holds now, after everything on the queue.
  std::vector<T> download(cl_command_queue queue = Machine::get().queues()[0]) const {
    std::vector<T> now(all_.size());
    check_cl(::clEnqueueReadBuffer(queue, buffer_(), CL_TRUE, 0, now.size() * sizeof(T), now.data(),
                                   0, nullptr, nullptr),
             "clEnqueueReadBuffer");
    return now;
  }

 private:
  OperandData(std::size_t count, std::size_t offset, std::int64_t stride, std::size_t length,
              unsigned seed)
      : all_(offset + count + guard), offset_(offset), stride_(stride), length_(length) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<Real<T>> number(-1, 1);
    for (auto& element : all_) {
      if constexpr (std::is_same_v<T, Real<T>>)
        element = number(random);
      else
        element = {number(random), number(random)};
    }
  }
  std::vector<T> all_;
  std::size_t offset_;
  std::int64_t stride_;
  std::size_t length_;
  cl::Buffer buffer_;
};

}  // namespace kiln::blas::testing
