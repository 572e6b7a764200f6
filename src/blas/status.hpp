#pragma once

#include <string>

namespace kiln::blas {

/// What a call came to, with the numbers of clBLAS's clblasStatus. Statuses of OpenCL itself
/// (-1 to -72) pass through under their own numbers.
enum class Status : int {
  success = 0,
  build_failure = -11,
  invalid_value = -30,
  invalid_device = -33,  ///< no double precision there
  invalid_context = -34,
  invalid_queue = -36,
  invalid_memory = -38,  ///< a memory object that is no buffer
  invalid_wait_list = -57,
  not_implemented = -1024,
  not_initialized = -1023,
  invalid_matrix_a = -1022,
  invalid_matrix_b = -1021,
  invalid_matrix_c = -1020,
  invalid_vector_x = -1019,
  invalid_vector_y = -1018,
  invalid_dimension = -1017,
  invalid_leading_a = -1016,
  invalid_leading_b = -1015,
  invalid_leading_c = -1014,
  invalid_increment_x = -1013,
  invalid_increment_y = -1012,
  small_matrix_a = -1011,  ///< the buffer is too short for what the arguments describe
  small_matrix_b = -1010,
  small_matrix_c = -1009,
  small_vector_x = -1008,
  small_vector_y = -1007,
};

/// "the leading dimension of A is too small"; the name of a status of OpenCL's: for people.
std::string text_of(Status status);

}  // namespace kiln::blas
