#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "blas/call/validate.hpp"
#include "blas/clblast/calls.hpp"

// CLBlast's batches: the same routine with other operands. Items that lie a stride apart and have
// the same scalars are one call with a batch, small ones that do not are one call with a table.
namespace kiln::clblast {

StatusCode mark(const cl_command_queue* queue, cl_event* event) {
  if (event == nullptr) return StatusCode::kSuccess;
  return static_cast<StatusCode>(::clEnqueueMarkerWithWaitList(*queue, 0, nullptr, event));
}

namespace {

/// Makes a call whose operands lie a stride apart, as many times as its batch says.
StatusCode made_strided(const Call& batch, const cl_command_queue* queue, cl_event* event) {
  // Items that write to the same memory are for CLBlast no mistake: one after another they are
  // right.
  if (const StatusCode status = made(batch, queue, event);
      static_cast<int>(status) != static_cast<int>(blas::Status::items_overlap))
    return status;
  return made_in_turn(batch.batch, queue, event, [&](std::size_t item) {
    Call one = batch;
    one.batch = 1;
    for (blas::Operand& operand : one.operands) {
      operand.offset += item * static_cast<std::size_t>(operand.batch_stride);
      operand.batch_stride = 0;
    }
    return one;
  });
}

template <class T>
blas::Matrix operand(const MatrixArgument& matrix, std::size_t stride) {
  blas::Matrix made = operand<T>(matrix);
  made.batch_stride = static_cast<std::int64_t>(stride);
  return made;
}

/// The stride of items whose places are given one by one; nothing where they lie otherwise.
std::optional<std::int64_t> stride_of(const std::size_t* offsets, std::size_t count) {
  if (count < 2) return 0;
  if (offsets[1] < offsets[0]) return std::nullopt;
  const std::size_t stride = offsets[1] - offsets[0];
  for (std::size_t item = 2; item < count; ++item)
    if (offsets[item] - offsets[item - 1] != stride) return std::nullopt;
  return static_cast<std::int64_t>(stride);
}

/// Whether the items of a batch have the same scalar. Those of halves are compared as they are.
template <class T>
bool are_equal(const T* scalars, std::size_t count) {
  return std::all_of(scalars, scalars + count, [&](const T& one) { return one == scalars[0]; });
}

/// What an item writes: lines, so many elements apart.
struct Written {
  std::size_t length, lines, apart;
};

/// Whether no two items of a batch write to the same memory. False, too, where that would take
/// long to find out.
bool write_apart(const std::size_t* offsets, std::size_t count, const Written& written) {
  std::vector<std::size_t> sorted(offsets, offsets + count);
  std::sort(sorted.begin(), sorted.end());
  const std::size_t reach = (written.lines - 1) * written.apart + written.length;
  std::size_t looks = 64 * count;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = i + 1; j < count && sorted[j] - sorted[i] < reach; ++j) {
      if (looks-- == 0) return false;
      // The later item's lines lie between those of the earlier one, or meet them.
      const std::size_t distance = sorted[j] - sorted[i], line = distance / written.apart,
                        into = distance % written.apart;
      if (into < written.length && line < written.lines) return false;
      if (written.apart - into < written.length && line + 1 < written.lines) return false;
    }
  return true;
}

/// Makes a call for items at places of their own, in one launch where there is such a form.
/// `place_of` has an item's offsets and scalars.
template <class PlaceOf, class Describe>
StatusCode made_at_places(Call call, std::size_t count, bool are_apart,
                          const cl_command_queue* queue, cl_event* event, const PlaceOf& place_of,
                          const Describe& describe) {
  call.batch = count;
  if (are_apart && blas::has_table_form(call)) {
    std::vector<blas::BatchItem> items;
    items.reserve(count);
    for (std::size_t item = 0; item < count; ++item) items.push_back(place_of(item));
    for (const Slot slot : {Slot::a, Slot::b, Slot::c, Slot::x, Slot::y}) call[slot].offset = 0;
    const int status = kiln_blas_run_items(call, items, {{queue, 1}, {}, event});
    if (status != static_cast<int>(blas::Status::not_implemented)) return status_of(status);
  }
  return made_in_turn(count, queue, event, describe);
}

/// The last matrix of a batch that lies a stride apart, which is the one that may be out of bounds.
MatrixArgument last_of(const MatrixArgument& matrix, std::size_t stride, std::size_t count) {
  MatrixArgument last = matrix;
  std::size_t before = 0;
  if (__builtin_mul_overflow(count - 1, stride, &before) ||
      __builtin_add_overflow(before, matrix.offset, &last.offset))
    last.offset = static_cast<std::size_t>(-1);
  return last;
}

}  // namespace
}  // namespace kiln::clblast

namespace clblast {

using namespace kiln::clblast;

template <typename T>
StatusCode AxpyBatched(size_t n, const T* alphas, cl_mem x_buffer, const size_t* x_offsets,
                       size_t x_inc, cl_mem y_buffer, const size_t* y_offsets, size_t y_inc,
                       size_t batch_count, KILN_QUEUE) {
  const auto x = [&](size_t item) { return VectorArgument{x_buffer, x_offsets[item], x_inc}; };
  const auto y = [&](size_t item) { return VectorArgument{y_buffer, y_offsets[item], y_inc}; };
  Checks checks(sizeof(T), queue);
  checks.batches(batch_count).sizes({n});
  for (size_t item = 0; item < batch_count && !checks.failed(); ++item)
    checks.vector(Name::x, n, x(item)).vector(Name::y, n, y(item));
  if (checks.failed()) return checks.status();
  const auto call_of = [&](size_t item) {
    return kiln::blas::axpy<Computed<T>>(n, number(alphas[item]), operand<T>(x(item), n),
                                         operand<T>(y(item), n));
  };
  const auto of_x = stride_of(x_offsets, batch_count), of_y = stride_of(y_offsets, batch_count);
  if (!of_x || !of_y || *of_y == 0 || !are_equal(alphas, batch_count)) {
    const bool ascend = x(0).step() > 0 && y(0).step() > 0;
    return made_at_places(
        call_of(0), batch_count, ascend && write_apart(y_offsets, batch_count, {1, n, y_inc}),
        queue, event,
        [&](size_t item) {
          return kiln::blas::BatchItem{x_offsets[item], y_offsets[item], 0,
                                       kiln::blas::Scalar(number(alphas[item])), 0};
        },
        call_of);
  }
  Call call = call_of(0);
  call.batch = batch_count;
  call[Slot::x].batch_stride = *of_x;
  call[Slot::y].batch_stride = *of_y;
  return made_strided(call, queue, event);
}
KILN_ALL(AxpyBatched)

template <typename T>
StatusCode GemmBatched(Layout layout, Transpose a_transpose, Transpose b_transpose, size_t m,
                       size_t n, size_t k, const T* alphas, cl_mem a_buffer,
                       const size_t* a_offsets, size_t a_ld, cl_mem b_buffer,
                       const size_t* b_offsets, size_t b_ld, const T* betas, cl_mem c_buffer,
                       const size_t* c_offsets, size_t c_ld, size_t batch_count, KILN_QUEUE) {
  const auto a = [&](size_t item) { return MatrixArgument{a_buffer, a_offsets[item], a_ld}; };
  const auto b = [&](size_t item) { return MatrixArgument{b_buffer, b_offsets[item], b_ld}; };
  const auto c = [&](size_t item) { return MatrixArgument{c_buffer, c_offsets[item], c_ld}; };
  Checks checks(sizeof(T), queue);
  checks.options(layout, a_transpose, b_transpose).batches(batch_count).sizes({m, n, k});
  for (size_t item = 0; item < batch_count && !checks.failed(); ++item) {
    checks.matrix(Name::a, layout, a_transpose, m, k, a(item));
    checks.matrix(Name::b, layout, b_transpose, k, n, b(item));
    checks.matrix(Name::c, layout, m, n, c(item));
  }
  if (checks.failed()) return checks.status();
  const auto call_of = [&](size_t item) {
    return kiln::blas::gemm<Computed<T>>(
        from(layout), from(a_transpose), from(b_transpose), m, n, k, number(alphas[item]),
        operand<T>(a(item)), operand<T>(b(item)), number(betas[item]), operand<T>(c(item)));
  };
  const auto of_a = stride_of(a_offsets, batch_count), of_b = stride_of(b_offsets, batch_count),
             of_c = stride_of(c_offsets, batch_count);
  if (!of_a || !of_b || !of_c || *of_c == 0 || !are_equal(alphas, batch_count) ||
      !are_equal(betas, batch_count)) {
    const bool by_rows = layout == Layout::kRowMajor;
    const Written written{by_rows ? n : m, by_rows ? m : n, c_ld};
    return made_at_places(
        call_of(0), batch_count, write_apart(c_offsets, batch_count, written), queue, event,
        [&](size_t item) {
          return kiln::blas::BatchItem{a_offsets[item], b_offsets[item], c_offsets[item],
                                       kiln::blas::Scalar(number(alphas[item])),
                                       kiln::blas::Scalar(number(betas[item]))};
        },
        call_of);
  }
  Call call = call_of(0);
  call.batch = batch_count;
  call[Slot::a].batch_stride = *of_a;
  call[Slot::b].batch_stride = *of_b;
  call[Slot::c].batch_stride = *of_c;
  return made_strided(call, queue, event);
}
KILN_ALL(GemmBatched)

template <typename T>
StatusCode GemmStridedBatched(Layout layout, Transpose a_transpose, Transpose b_transpose, size_t m,
                              size_t n, size_t k, T alpha, KILN_MATRIX(a), size_t a_stride,
                              KILN_MATRIX(b), size_t b_stride, T beta, KILN_MATRIX(c),
                              size_t c_stride, size_t batch_count, KILN_QUEUE) {
  const MatrixArgument a = KILN_THE_MATRIX(a), b = KILN_THE_MATRIX(b), c = KILN_THE_MATRIX(c);
  Checks checks(sizeof(T), queue);
  checks.options(layout, a_transpose, b_transpose).batches(batch_count).sizes({m, n, k});
  if (checks.failed()) return checks.status();
  checks.matrix(Name::a, layout, a_transpose, m, k, last_of(a, a_stride, batch_count));
  checks.matrix(Name::b, layout, b_transpose, k, n, last_of(b, b_stride, batch_count));
  checks.matrix(Name::c, layout, m, n, last_of(c, c_stride, batch_count));
  if (checks.failed()) return checks.status();
  Call call = kiln::blas::gemm<Computed<T>>(
      from(layout), from(a_transpose), from(b_transpose), m, n, k, number(alpha),
      operand<T>(a, a_stride), operand<T>(b, b_stride), number(beta), operand<T>(c, c_stride));
  call.batch = batch_count;
  return made_strided(call, queue, event);
}
KILN_ALL(GemmStridedBatched)

}  // namespace clblast
