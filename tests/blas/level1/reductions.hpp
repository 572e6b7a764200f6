#pragma once

#include "blas/level1/vectors.hpp"

namespace kiln::blas::testing {

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
