#pragma once

#include <cstddef>
#include <string>

#include "blas/call/call.hpp"

// The checks of a call's arguments, and what is said of those that are bad: by number, as clBLAS
// does (Status), or by exception, as Kiln's own interfaces do.
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
  // What clBLAS has no call for
  items_overlap = -2000,  ///< items of a batch write to the same memory
  small_items = -1999,    ///< the table of a batch is shorter than the batch, or absent
  large_items = -1998,    ///< the items of a table are larger than its kernel takes
};

/// "the leading dimension of A is too small"; the name of a status of OpenCL's: for people.
std::string text_of(Status status);

/// Checks the arguments of a call as clBLAS does, and by its codes: queues and wait list, memory
/// objects, sizes, leading dimensions and increments, and the lengths of the buffers; memory of
/// another context than the queues' is CL_INVALID_CONTEXT. Two differences: k = 0 is no error but
/// what BLAS means by it (C = beta C), and every routine has every check. Whether a device has
/// double precision is Library::check_queues(). Allocates nothing. Thread-safe.
Status validate(const Call& call, const Execution& execution);
/// The same for a call that will not run: its memory objects may be null, which is then no error.
Status validate_shape(const Call& call, const Execution& execution);

/// "dgemm: the leading dimension of A is too small", thrown, unless all is well. Statuses are about
/// arguments; what fails in the device throws by itself.
void throw_refusal(const Call& call, Status status);

/// "dgemm": as BLAS calls it.
std::string full_name_of(const Call& call);

/// Where a call runs, from what interfaces are given. Throws where there is not room for the
/// events.
Execution execution_of(std::span<const cl_command_queue> queues, std::span<const cl_event> after,
                       std::span<cl_event> events);

/// As a bound of memory: none but that of addresses.
inline constexpr auto no_bound = static_cast<std::size_t>(-1);

/// What a call's operands without memory would take, where that is too much: "sgemm: A takes
/// 4294967296 bytes, found memory for 1073741824 in one buffer", thrown (bad_input). Sizes below
/// such a bound are also what the sizes of workspace are computed from without overflow.
/// `in_one`, `in_all`: bytes that the device has for one operand, and for all together.
void require_room(const Call& call, std::size_t in_one, std::size_t in_all = no_bound);

}  // namespace kiln::blas
