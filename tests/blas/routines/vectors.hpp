#pragma once

#include <fmt/format.h>

#include "blas/expected.hpp"

// What the tests of level 1 share.
namespace kiln::blas::testing {

/// Sizes around the widths of vectors and of the blocks that a work-item takes at once (16 lanes by
/// 4, at most), and such that several work-items share the work.
inline const std::vector<std::size_t> sizes{1,  2,  3,  7,  8,  9,   15,   16,     17,
                                            31, 33, 63, 64, 65, 129, 1000, 10'007, 100'003};

struct Increments {
  int x, y;
};
inline const std::vector<Increments> increments{{1, 1}, {-1, -1}, {1, -1},
                                                {2, 1}, {-2, 3},  {3, -1}};

/// A call of a routine over n elements.
template <class T>
Call vector_call(Routine routine, std::size_t n) {
  Call call;
  call.routine = routine;
  call.precision = precision_of<T>;
  call.n = n;
  return call;
}

/// Runs a call of two vectors for all sizes and increments, and compares every element of both with
/// what `expect(i, x_i, y_i)` says: a pair of Sums.
template <class T, class Prepare, class Expect>
void check_pairs(Routine routine, Prepare prepare, Expect expect) {
  for (const std::size_t n : sizes)
    for (const auto& [inc_x, inc_y] : increments) {
      SCOPED_TRACE(fmt::format("n {} increments {} {}", n, inc_x, inc_y));
      auto x = OperandData<T>::vector(n, inc_x, 3, 1);
      auto y = OperandData<T>::vector(n, inc_y, 2, 2);
      Call call = vector_call<T>(routine, n);
      prepare(call);
      call[Slot::x] = x.upload();
      call[Slot::y] = y.upload();
      ASSERT_EQ(run(call), Status::success);
      Expected<T> expected_x(x), expected_y(y);
      for (std::size_t i = 0; i < n; ++i) {
        const auto [sum_x, sum_y] = expect(x.all()[x.at(i)], y.all()[y.at(i)]);
        expected_x.set(x.at(i), sum_x);
        expected_y.set(y.at(i), sum_y);
      }
      ASSERT_EQ(expected_x.difference(x.download()), "");
      ASSERT_EQ(expected_y.difference(y.download()), "");
    }
}

/// A value as it was: no rounding allowed.
template <class T>
Sum exactly(const T& value) {
  Sum sum;
  sum.value = Wide(value);
  return sum;
}

/// Runs a call that leaves one result of type R, at an offset; what lies around it must stay.
template <class R>
R result_of(Call call) {
  std::vector<R> memory{R(11), R(12), R(13), R(14)};
  const cl::Buffer buffer(cl::Context(Machine::get().context(), true),
                          CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof(R) * memory.size(),
                          memory.data());
  call[Slot::z] = {buffer(), 2, 0};
  EXPECT_EQ(run(call), Status::success);
  check_cl(::clEnqueueReadBuffer(Machine::get().queues()[0], buffer(), CL_TRUE, 0,
                                 sizeof(R) * memory.size(), memory.data(), 0, nullptr, nullptr),
           "clEnqueueReadBuffer");
  EXPECT_EQ(memory[0], R(11));
  EXPECT_EQ(memory[1], R(12));
  EXPECT_EQ(memory[3], R(14));
  return memory[2];
}

/// The result of a routine of one vector.
template <class R, class T>
R result_of(Routine routine, std::size_t n, OperandData<T>& x) {
  Call call = vector_call<T>(routine, n);
  call[Slot::x] = x.upload();
  return result_of<R>(call);
}

/// Whether a result is within the bound of a sum.
template <class T>
bool is_near(const T& result, const Sum& sum) {
  return std::abs(Wide(result) - sum.value) <= sum.bound<T>();
}

}  // namespace kiln::blas::testing
