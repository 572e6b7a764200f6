#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "kiln/blas/types.hpp"
#include "kiln/runtime.hpp"

namespace kiln::blas {

/// The routines, in the order of the levels. A name that BLAS has for one precision alone stands
/// for its likes: `dot` is dotu too, `ger` is geru, `hemv` is symv of complex numbers that are
/// conjugated. Those that BLAS does not have close the levels: sum to had, omatcopy to col2im,
/// conv.
enum class Routine : std::uint8_t {
  // level 1
  swap,
  scal,
  copy,
  axpy,
  dot,
  dotc,
  rotg,
  rotmg,
  rot,
  rotm,
  nrm2,
  iamax,
  asum,
  sum,
  iamin,
  imax,
  imin,
  had,
  // level 2
  gemv,
  symv,
  hemv,
  trmv,
  trsv,
  ger,
  gerc,
  syr,
  her,
  syr2,
  her2,
  tpmv,
  tpsv,
  spmv,
  hpmv,
  spr,
  hpr,
  spr2,
  hpr2,
  gbmv,
  tbmv,
  sbmv,
  hbmv,
  tbsv,
  omatcopy,
  im2col,
  col2im,
  // level 3
  gemm,
  trmm,
  trsm,
  syrk,
  syr2k,
  symm,
  hemm,
  herk,
  her2k,
  conv
};
constexpr int routine_count = static_cast<int>(Routine::conv) + 1;

/// "gemm": without the letter of the precision.
KILN_API std::string_view name_of(Routine routine);

/// The memory arguments of a routine. Level 1 and 2 call theirs x and y, packed and banded matrices
/// are `a`; results that go to memory and the scalars of rotg and rotmg use the rest:
///   dot, nrm2, asum, sum, iamax and its likes: z is the result      had: z is the third vector
///   rotg: x = SA, y = SB, z = C, w = S        rotm: z = param
///   rotmg: a = D1, b = D2, x = X1, y = Y1, z = param
///   omatcopy, im2col, col2im: from a to b       conv: a = images, b = filters, c = results
/// The last ones belong to what a product's result goes through (Epilogue), to factors in groups
/// with a scale each (Call::group_a), and to batches (Call::by_items).
enum class Slot : std::uint8_t {
  a,
  b,
  c,
  x,
  y,
  z,
  w,
  bias,
  scale,
  residual,
  scale_a,
  scale_b,
  items
};
constexpr std::size_t slot_count = 13;

/// A matrix or vector in the caller's memory. Offsets and strides count elements.
struct Operand {
  cl_mem memory = nullptr;
  std::size_t offset = 0;
  /// A matrix's leading dimension, a vector's increment (which may be negative: element i is then
  /// at offset + (n - 1 - i) * |increment|), 0 for packed matrices and single scalars.
  std::int64_t stride = 0;
  Storage stored = Storage::native;
  /// Elements from an item of a batch to the next (Call::batch); 0: all use the same.
  std::int64_t batch_stride = 0;
};

/// What becomes of each element of a product before it is stored:
///   C := activation(scale (alpha op(A) op(B) + beta C) + bias) + residual
/// as far as the call has them. Bias and scale have an element for each row of C, or for each
/// column (as BLAS counts them, whatever the Order); the residual is a matrix like C.
struct Epilogue {
  Along bias = Along::none;   ///< Slot::bias, a vector
  Along scale = Along::none;  ///< Slot::scale, a vector
  Activation activation = Activation::none;
  bool residual = false;  ///< Slot::residual, a matrix
  bool operator==(const Epilogue&) const = default;
};

/// A filter that goes over an image of several channels, for im2col, col2im and conv: at each of
/// its places it covers a patch of `kernel_h` x `kernel_w` points of each channel, `dilation`
/// apart; from place to place it moves by `stride`. An image has `pad` further lines of zeros on
/// each side.
struct Window {
  std::size_t channels = 0, height = 0, width = 0;
  std::size_t kernel_h = 1, kernel_w = 1;
  std::size_t pad_h = 0, pad_w = 0;
  std::size_t stride_h = 1, stride_w = 1;
  std::size_t dilation_h = 1, dilation_w = 1;
  /// Each channel's points in a patch are in reverse order (a convolution), or as they lie in the
  /// image (a cross-correlation, which is what neural networks call a convolution).
  bool flipped = false;

  /// Places of the filter: down an image, and across it; 1 where it is larger than the image.
  constexpr std::size_t rows() const {
    return places(height, pad_h, kernel_h, stride_h, dilation_h);
  }
  constexpr std::size_t columns() const {
    return places(width, pad_w, kernel_w, stride_w, dilation_w);
  }
  constexpr std::size_t points_of_image() const { return channels * height * width; }
  constexpr std::size_t points_of_patch() const { return channels * kernel_h * kernel_w; }
  bool operator==(const Window&) const = default;

 private:
  static constexpr std::size_t places(std::size_t size, std::size_t pad, std::size_t kernel,
                                      std::size_t stride, std::size_t dilation) {
    const std::size_t all = size + 2 * pad, reach = dilation * (kernel - 1) + 1;
    return all < reach || stride == 0 ? 1 : (all - reach) / stride + 1;
  }
};

/// What a routine is called with: plain data, which the functions of kiln/blas/level1.hpp to
/// level3.hpp fill. Fields that a routine does not have stay as they are here. The memory objects
/// are the caller's; nothing is retained. May be changed between runs: `call[Slot::a].offset`,
/// `call.alpha`.
struct Call {
  Routine routine{};
  Precision precision{};
  Order order = Order::column_major;
  Side side = Side::left;
  Uplo uplo = Uplo::upper;
  Transpose trans_a = Transpose::none, trans_b = Transpose::none;
  Diag diag = Diag::non_unit;
  /// Sizes as BLAS names them; a vector routine's N is n. A band's k is `k` or `kl` and `ku`.
  std::size_t m = 0, n = 0, k = 0, kl = 0, ku = 0;
  Scalar alpha{1}, beta{0};  ///< rot: c and s
  /// csscal, zdscal: alpha has no imaginary part, and nothing is multiplied with one.
  bool real_alpha = false;
  /// Products of level 3: the bits of an element of C depend on its row of op(A), its column of
  /// op(B), k and the scalars alone, on devices of one kind: not on m and n, the batch, the number
  /// of queues, what is on record. Costs the forms that are faster for a single row or column. Not
  /// together with `emulated`. Of complex numbers the order counts, too, for other routines than
  /// gemm.
  bool invariant = false;
  /// gemm of precision d and z: computed by way of products of bytes where that is as exact (Ozaki,
  /// Uchino and Imamura 2025), else, as where a row of op(A) or a column of op(B) has what is no
  /// number or numbers more than 2^40 apart, in double precision: the device decides. Where
  /// products of bytes are much faster than those of doubles it is the faster way; elsewhere it is
  /// slow. One row or column decides for all, so such a product cannot be `invariant`, too: a call
  /// with both is refused.
  bool emulated = false;
  /// So many calls of the same sizes, of operands `batch_stride` apart: batched() of
  /// kiln/blas/batch.hpp. What they write must not overlap.
  std::size_t batch = 1;
  /// gemm with m and n up to 256 and k up to 512, and axpy with n up to 4096: the items of the
  /// batch lie where the table in Slot::items says, and have an alpha and a beta each
  /// (kiln/blas/batch.hpp has the table's layout). Strides of the batch, alpha and beta of the call
  /// are not read then.
  bool by_items = false;
  /// iamax and its likes: the number of the first element.
  std::uint8_t first_index = 1;
  /// im2col, col2im and conv, whose m is the places of the filter, and k (im2col, col2im: n) the
  /// points of a patch. conv: n filters, and `batch` images without gaps.
  Window window{};
  /// gemm alone.
  Epilogue epilogue{};
  /// gemm alone: elements of A (of B) next to one another in k that share a scale, in a matrix of
  /// halves without gaps: of op(A), for each row its groups; of op(B), for each column its groups.
  /// 0: no scales.
  std::size_t group_a = 0, group_b = 0;
  std::array<Operand, slot_count> operands{};

  Operand& operator[](Slot slot) { return operands[static_cast<std::size_t>(slot)]; }
  const Operand& operator[](Slot slot) const { return operands[static_cast<std::size_t>(slot)]; }
};

/// A matrix with its leading dimension: columns (or rows, by the call's Order) that begin `ld`
/// elements apart, the first one at `offset`. A band's lines are its diagonals, as in the reference
/// BLAS.
struct Matrix : Operand {
  Matrix(cl_mem matrix, std::size_t first, std::size_t ld, Storage as = Storage::native)
      : Operand{matrix, first, static_cast<std::int64_t>(ld), as} {}
};

/// A vector with its increment, which may be negative, but not 0.
struct Vector : Operand {
  Vector(cl_mem vector, std::size_t first = 0, std::int64_t increment = 1,
         Storage as = Storage::native)
      : Operand{vector, first, increment, as} {}
};

/// Memory without a stride: a packed triangle, a result, the parameters of a rotation.
struct Block : Operand {
  Block(cl_mem block, std::size_t first = 0, Storage as = Storage::native)
      : Operand{block, first, 0, as} {}
};

}  // namespace kiln::blas
