#include "blas/clblast/checks.hpp"

namespace kiln::clblast {
namespace {

// No buffer has so many elements.
constexpr auto too_many = static_cast<std::size_t>(-1);

/// The place behind the last of `count` elements, `step` apart, the first at `offset`.
std::size_t end_of(std::size_t offset, std::size_t count, std::size_t step) {
  std::size_t end = 0;
  return __builtin_mul_overflow(count - 1, step, &end) ||
                 __builtin_add_overflow(end, offset, &end) ||
                 __builtin_add_overflow(end, std::size_t{1}, &end)
             ? too_many
             : end;
}

/// One of the codes of five operands, which follow one another from that of A on.
StatusCode code(StatusCode of_a, Name name) {
  return static_cast<StatusCode>(static_cast<int>(of_a) + static_cast<int>(name));
}
StatusCode invalid(Name name) { return code(StatusCode::kInvalidMatrixA, name); }
StatusCode bad_stride(Name name) { return code(StatusCode::kInvalidLeadDimA, name); }
StatusCode small(Name name) { return code(StatusCode::kInsufficientMemoryA, name); }

}  // namespace

Checks::Checks(std::size_t element, const cl_command_queue* queue) : element_(element) {
  if (queue == nullptr || *queue == nullptr) refuse(StatusCode::kInvalidCommandQueue);
}

Checks& Checks::sizes(std::initializer_list<std::size_t> values) {
  for (const std::size_t value : values)
    if (value == 0) refuse(StatusCode::kInvalidDimension);
  return *this;
}

Checks& Checks::matrix(Name name, std::size_t length, std::size_t lines,
                       const MatrixArgument& matrix) {
  if (failed()) return *this;
  if (matrix.ld < length) {
    refuse(bad_stride(name));
    return *this;
  }
  std::size_t end = end_of(matrix.offset, lines, matrix.ld);
  if (__builtin_add_overflow(end, length - 1, &end)) end = too_many;
  room(matrix.memory, end, element_, invalid(name), small(name));
  return *this;
}

Checks& Checks::elements(Name name, std::size_t count, const BlockArgument& block) {
  if (!failed())
    room(block.memory, end_of(block.offset, count, 1), element_, invalid(name), small(name));
  return *this;
}

Checks& Checks::packed(Name name, std::size_t n, const BlockArgument& block) {
  std::size_t count = 0;
  if (__builtin_mul_overflow(n, n + 1, &count)) count = too_many;
  return elements(name, count / 2, block);
}

Checks& Checks::vector(Name name, std::size_t n, const VectorArgument& vector) {
  if (failed()) return *this;
  if (vector.inc == 0) {
    refuse(bad_stride(name));
    return *this;
  }
  std::size_t end = 0;
  if (vector.step() > 0) {
    end = end_of(vector.offset, n, vector.inc);
  } else {
    // The last element is the one with the lowest address.
    std::size_t before = 0;
    const bool fits = !__builtin_mul_overflow(n - 1, std::size_t{0} - vector.inc, &before) &&
                      before <= vector.offset;
    end = fits ? end_of(vector.offset, 1, 1) : too_many;
  }
  room(vector.memory, end, element_, invalid(name), small(name));
  return *this;
}

Checks& Checks::results(std::size_t count, std::size_t bytes, const BlockArgument& block) {
  if (!failed())
    room(block.memory, end_of(block.offset, count, 1), bytes, StatusCode::kInvalidVectorScalar,
         StatusCode::kInsufficientMemoryScalar);
  return *this;
}

void Checks::room(cl_mem memory, std::size_t elements, std::size_t bytes, StatusCode invalid,
                  StatusCode small) {
  std::size_t present = 0;
  if (memory == nullptr ||
      ::clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof present, &present, nullptr) != CL_SUCCESS)
    refuse(invalid);
  else if (elements > present / bytes)
    refuse(small);
}

}  // namespace kiln::clblast
