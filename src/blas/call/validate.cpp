#include "blas/call/validate.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "blas/call/routine_traits.hpp"
#include "device/opencl.hpp"

namespace kiln::blas {
namespace {

/// The statuses for one bad argument, by its name in BLAS.
struct Codes {
  Status absent, stride, small;
};
Codes codes_of(const Use& use, Routine routine) {
  switch (use.slot) {
    case Slot::a:
      if (routine == Routine::rotmg) break;  // D1
      return {Status::invalid_matrix_a, Status::invalid_leading_a, Status::small_matrix_a};
    case Slot::b:
      if (routine == Routine::rotmg) break;  // D2
      return {Status::invalid_matrix_b, Status::invalid_leading_b, Status::small_matrix_b};
    case Slot::c:
    case Slot::residual:
      return {Status::invalid_matrix_c, Status::invalid_leading_c, Status::small_matrix_c};
    case Slot::x:
      break;
    case Slot::items:
      return {Status::small_items, Status::small_items, Status::small_items};
    default:
      return {Status::invalid_vector_y, Status::invalid_increment_y, Status::small_vector_y};
  }
  return {Status::invalid_vector_x, Status::invalid_increment_x, Status::small_vector_x};
}

// Sizes above it have products that overflow.
constexpr std::size_t largest_of_window = std::size_t{1} << 20;

bool has_zero_dimension(const Call& call) {
  if (call.routine == Routine::rotg || call.routine == Routine::rotmg) return false;
  return call.n == 0 || (has(call.routine, trait::rectangular) && call.m == 0);
}

/// Whether a filter has a size and moves, and the call's sizes are what follows from its window.
bool has_sound_window(const Call& call) {
  const Window& window = call.window;
  for (const std::size_t size :
       {window.channels, window.height, window.width, window.kernel_h, window.kernel_w,
        window.stride_h, window.stride_w, window.dilation_h, window.dilation_w})
    if (size == 0 || size > largest_of_window) return false;
  return window.pad_h <= largest_of_window && window.pad_w <= largest_of_window &&
         call.m == window.rows() * window.columns() &&
         (call.routine == Routine::conv ? call.k : call.n) == window.points_of_patch();
}

/// Batches, epilogues and groups are gemm's, and kinds of elements those of precision s.
bool has_what_it_cannot(const Call& call) {
  const bool has_epilogue = call.epilogue != Epilogue{};
  const bool is_grouped = call.group_a != 0 || call.group_b != 0;
  if (call.batch == 0) return true;
  if (call.emulated && (call.routine != Routine::gemm || !is_double(call.precision))) return true;
  // Whether all of an emulated product is computed with doubles depends on each row and column.
  if (call.emulated && call.invariant) return true;
  if (call.routine != Routine::gemm && (has_epilogue || is_grouped)) return true;
  if (call.by_items && call.routine != Routine::gemm && call.routine != Routine::axpy) return true;
  if (call.by_items &&
      (has_epilogue || is_grouped || has_stored(call) || call.invariant || call.emulated))
    return true;
  // A place is a number of its own.
  if (finds_place(call.routine) && call[Slot::z].stored != Storage::native) return true;
  if (is_complex(call.precision) && has_epilogue) return true;
  if (call.precision != Precision::s && (has_stored(call) || is_grouped)) return true;
  const auto is_float = [&](Slot slot) { return call[slot].stored == Storage::native; };
  if ((call.group_a != 0 && is_float(Slot::a)) || (call.group_b != 0 && is_float(Slot::b)))
    return true;
  // Two elements share a byte, which is written whole.
  for (const Use& use : Uses(call))
    if (use.in_one != 1 && use.access != Use::Access::read) return true;
  return false;
}

/// Whether sums of integers go to integers: then nothing else may be in between.
bool is_integer_product(const Call& call) {
  const auto is_integral = [&](Slot slot, std::size_t group) {
    const Storage kind = call[slot].stored;
    return group == 0 && (kind == Storage::int8 || kind == Storage::int4);
  };
  return is_compute_bound(call.routine) && call[Slot::c].stored == Storage::int32 &&
         is_integral(Slot::a, call.group_a) &&
         (is_integral(Slot::b, call.group_b) || has(call.routine, trait::update));
}

/// Combinations that BLAS does not define.
bool is_meaningless(const Call& call) {
  if (has_what_it_cannot(call)) return true;
  if (is_windowed(call.routine) && !has_sound_window(call)) return true;
  const auto is_integral = [](const Scalar& scalar) {
    return scalar.real() == std::floor(scalar.real()) && std::abs(scalar.real()) <= 1 << 24;
  };
  if (is_integer_product(call) &&
      (call.epilogue != Epilogue{} || !is_integral(call.alpha) || !is_integral(call.beta)))
    return true;
  if (!is_compute_bound(call.routine) || !has(call.routine, trait::update)) return false;
  return has(call.routine, trait::conjugated)
             ? call.trans_a == Transpose::transpose
             : is_complex(call.precision) && call.trans_a == Transpose::conjugate;
}

/// Queues of several contexts share no memory. OpenCL would refuse the second one's commands when
/// the first has computed its share. Leaves the one context in `shared`.
Status check_contexts(std::span<const cl_command_queue> queues, cl_context& shared) {
  for (const auto& queue : queues) {
    cl_context context = nullptr;
    const cl_int status =
        ::clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, nullptr);
    if (status != CL_SUCCESS) return static_cast<Status>(status);
    if (shared == nullptr) shared = context;
    if (context != shared) return Status::invalid_context;
  }
  return Status::success;
}

Status check_queues(const Execution& execution, cl_context& context) {
  if (execution.queues.empty() || execution.queues.data() == nullptr) return Status::invalid_value;
  for (const auto& queue : execution.queues)
    if (queue == nullptr) return Status::invalid_queue;
  if (!execution.after.empty() && execution.after.data() == nullptr)
    return Status::invalid_wait_list;
  for (const auto& event : execution.after)
    if (event == nullptr) return Status::invalid_wait_list;
  return check_contexts(execution.queues, context);
}

Status check_stride(const Use& use, const Operand& operand, Routine routine) {
  const bool is_wrong =
      (use.form == Use::Form::matrix &&
       (operand.stride < 0 || static_cast<std::size_t>(operand.stride) < use.length)) ||
      (use.form == Use::Form::vector && operand.stride == 0) || operand.batch_stride < 0;
  return is_wrong ? codes_of(use, routine).stride : Status::success;
}

/// Images and memory of another context are refused here: PoCL takes them for a kernel's argument,
/// and what a kernel finds there is undefined. The codes are those of OpenCL's transfers.
Status check_memory(const Use& use, const Operand& operand, Routine routine, cl_context context) {
  const Codes codes = codes_of(use, routine);
  std::size_t bytes = 0, present = 0;
  if (!bytes_of(use, operand, bytes)) return codes.small;
  cl_int status =
      ::clGetMemObjectInfo(operand.memory, CL_MEM_SIZE, sizeof present, &present, nullptr);
  cl_context of = nullptr;
  if (status == CL_SUCCESS)
    status = ::clGetMemObjectInfo(operand.memory, CL_MEM_CONTEXT, sizeof of, &of, nullptr);
  cl_mem_object_type type = 0;
  if (status == CL_SUCCESS)
    status = ::clGetMemObjectInfo(operand.memory, CL_MEM_TYPE, sizeof type, &type, nullptr);
  if (status != CL_SUCCESS) return static_cast<Status>(status);
  if (type != CL_MEM_OBJECT_BUFFER) return Status::invalid_memory;
  if (of != context) return Status::invalid_context;
  return bytes > present ? codes.small : Status::success;
}

/// All but the queues. Memory objects may be null.
Status check_arguments(const Call& call, const Uses& uses, cl_context context) {
  if (has_zero_dimension(call)) return Status::invalid_dimension;
  if (is_meaningless(call)) return Status::invalid_value;
  if (call.by_items && !has_table_form(call)) return Status::large_items;
  for (const Use& use : uses) {
    const Operand& operand = call[use.slot];
    if (const Status status = check_stride(use, operand, call.routine); status != Status::success)
      return status;
    std::size_t bytes = 0;
    // The images of a convolution lie without gaps: its uses have all of them.
    if (use.items > 1 && call.routine != Routine::conv && use.access != Use::Access::read &&
        bytes_of(use, operand, bytes) && items_overlap(use, operand))
      return Status::items_overlap;
    if (operand.memory == nullptr) continue;
    if (const Status status = check_memory(use, operand, call.routine, context);
        status != Status::success)
      return status;
  }
  return Status::success;
}

}  // namespace

Status validate(const Call& call, const Execution& execution) {
  cl_context context = nullptr;
  if (const Status status = check_queues(execution, context); status != Status::success)
    return status;
  const Uses uses(call);
  for (const Use& use : uses)
    if (call[use.slot].memory == nullptr) return codes_of(use, call.routine).absent;
  return check_arguments(call, uses, context);
}

Status validate_shape(const Call& call, const Execution& execution) {
  cl_context context = nullptr;
  if (const Status status = check_queues(execution, context); status != Status::success)
    return status;
  return check_arguments(call, Uses(call), context);
}

std::string text_of(Status status) {
  using enum Status;
  static constexpr std::pair<Status, const char*> texts[] = {
      {success, "success"},
      {not_implemented, "not implemented"},
      {not_initialized, "clblasSetup was not called"},
      {invalid_context, "the queues and memory objects belong to several contexts"},
      {invalid_matrix_a, "matrix A is not a valid memory object"},
      {invalid_matrix_b, "matrix B is not a valid memory object"},
      {invalid_matrix_c, "matrix C is not a valid memory object"},
      {invalid_vector_x, "vector x is not a valid memory object"},
      {invalid_vector_y, "vector y is not a valid memory object"},
      {invalid_dimension, "a dimension is zero"},
      {invalid_leading_a, "the leading dimension of A is too small"},
      {invalid_leading_b, "the leading dimension of B is too small"},
      {invalid_leading_c, "the leading dimension of C is too small"},
      {invalid_increment_x, "the increment of x is zero"},
      {invalid_increment_y, "the increment of y is zero"},
      {small_matrix_a, "the buffer of matrix A is shorter than its sizes, offset and stride say"},
      {small_matrix_b, "the buffer of matrix B is shorter than its sizes, offset and stride say"},
      {small_matrix_c, "the buffer of matrix C is shorter than its sizes, offset and stride say"},
      {small_vector_x, "the buffer of vector x is shorter than its sizes, offset and stride say"},
      {small_vector_y, "the buffer of vector y is shorter than its sizes, offset and stride say"},
      {items_overlap, "items of the batch would write to the same memory"},
      {small_items, "the table of the batch's items is absent or shorter than the batch"},
      {large_items,
       "items of a table are products of up to 256 x 256 with a depth of 512, or vectors of 4096"},
  };
  for (const auto& [known, text] : texts)
    if (known == status) return text;
  return cl_status_name(static_cast<cl_int>(status));
}

std::string full_name_of(const Call& call) {
  return letter(call.precision) + std::string(name_of(call.routine));
}

void throw_refusal(const Call& call, Status status) {
  if (status == Status::success) return;
  const std::string name = full_name_of(call);
  switch (status) {
    case Status::invalid_device:
      throw Error(Errc::unsupported, name + ": the device has no double precision");
    case Status::not_implemented:
      throw Error(Errc::unsupported, name + ": not implemented");
    case Status::invalid_value:
      throw Error(Errc::bad_input, name + ": BLAS does not define this combination of options");
    default:
      throw Error(Errc::bad_input, name + ": " + text_of(status));
  }
}

Execution execution_of(std::span<const cl_command_queue> queues, std::span<const cl_event> after,
                       std::span<cl_event> events) {
  if (queues.empty()) throw Error(Errc::bad_input, "missing queue: a call needs at least one");
  if (!events.empty() && events.size() < queues.size())
    throw Error(Errc::bad_input,
                fmt::format("found room for {} event{}, expected one for each of {} queues",
                            events.size(), events.size() == 1 ? "" : "s", queues.size()));
  return {queues, after, events.empty() ? nullptr : events.data()};
}

void require_room(const Call& call, std::size_t in_one, std::size_t in_all) {
  std::size_t all = 0;
  for (const Use& use : Uses(call)) {
    const Operand& operand = call[use.slot];
    if (operand.memory != nullptr) continue;
    std::size_t bytes = 0;
    const bool is_number = bytes_of(use, operand, bytes);
    const std::string takes =
        fmt::format("{}: {} takes {} bytes", full_name_of(call), name_of(use.slot),
                    is_number ? std::to_string(bytes) : "2^64 or more");
    if (!is_number || bytes > in_one)
      throw Error(Errc::bad_input,
                  takes + (in_one == no_bound
                               ? ", more than any memory has"
                               : fmt::format(", found memory for {} in one buffer", in_one)));
    if (__builtin_add_overflow(all, bytes, &all) || all > in_all)
      throw Error(
          Errc::bad_input,
          fmt::format("{}, the arguments together more than the device's {}", takes, in_all));
  }
}

}  // namespace kiln::blas
