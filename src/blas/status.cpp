#include "blas/status.hpp"

#include "device/opencl.hpp"

namespace kiln::blas {

std::string text_of(Status status) {
  constexpr const char* too_short = " is shorter than its sizes, offset and stride say";
  switch (status) {
    case Status::success:
      return "success";
    case Status::not_implemented:
      return "not implemented";
    case Status::not_initialized:
      return "clblasSetup was not called";
    case Status::invalid_context:
      return "the queues and memory objects belong to several contexts";
    case Status::invalid_matrix_a:
      return "matrix A is not a valid memory object";
    case Status::invalid_matrix_b:
      return "matrix B is not a valid memory object";
    case Status::invalid_matrix_c:
      return "matrix C is not a valid memory object";
    case Status::invalid_vector_x:
      return "vector x is not a valid memory object";
    case Status::invalid_vector_y:
      return "vector y is not a valid memory object";
    case Status::invalid_dimension:
      return "a dimension is zero";
    case Status::invalid_leading_a:
      return "the leading dimension of A is too small";
    case Status::invalid_leading_b:
      return "the leading dimension of B is too small";
    case Status::invalid_leading_c:
      return "the leading dimension of C is too small";
    case Status::invalid_increment_x:
      return "the increment of x is zero";
    case Status::invalid_increment_y:
      return "the increment of y is zero";
    case Status::small_matrix_a:
      return std::string("the buffer of matrix A") + too_short;
    case Status::small_matrix_b:
      return std::string("the buffer of matrix B") + too_short;
    case Status::small_matrix_c:
      return std::string("the buffer of matrix C") + too_short;
    case Status::small_vector_x:
      return std::string("the buffer of vector x") + too_short;
    case Status::small_vector_y:
      return std::string("the buffer of vector y") + too_short;
    default:
      return cl_status_name(static_cast<cl_int>(status));
  }
}

}  // namespace kiln::blas
