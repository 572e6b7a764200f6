#pragma once

#include "blas/expected.hpp"
#include "kiln/blas.hpp"

namespace kiln::blas::testing {

// The tests' operands, in the words of the C++ interface.
inline Matrix as_matrix(const Operand& o) {
  return {o.memory, o.offset, static_cast<std::size_t>(o.stride)};
}
inline Vector as_vector(const Operand& o) { return {o.memory, o.offset, o.stride}; }
inline Block as_block(const Operand& o) { return {o.memory, o.offset}; }

/// A scalar of type T, with an imaginary part where there are any.
template <class T>
T number(double real, double imaginary) {
  if constexpr (std::is_same_v<T, Real<T>>)
    return static_cast<T>(real);
  else
    return T(static_cast<Real<T>>(real), static_cast<Real<T>>(imaginary));
}

/// Runs a call through the public interface and waits for it.
inline void run_public(const Call& call) {
  const auto queue = Machine::get().queues()[0];
  blas::run(call, queue);
  ASSERT_EQ(::clFinish(queue), CL_SUCCESS);
}

/// What a call throws: "bad_input: sgemm: …".
template <class Action>
std::string error_of(const Action& action) {
  try {
    action();
    return "nothing";
  } catch (const Error& error) {
    return std::string(kiln::name_of(error.code())) + ": " + error.message();
  }
}

}  // namespace kiln::blas::testing
