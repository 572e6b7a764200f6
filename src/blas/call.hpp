#pragma once

#include <array>
#include <span>

#include "blas/routine.hpp"
#include "blas/types.hpp"
#include "device/opencl.hpp"

namespace kiln::blas {

/// The memory arguments of a routine. Level 1 and 2 call theirs x and y, packed and banded matrices
/// are `a`; results that go to memory and the scalars of rotg and rotmg use the rest:
///   dot, nrm2, asum, iamax: z is the result
///   rotg: x = SA, y = SB, z = C, w = S        rotm: z = param
///   rotmg: a = D1, b = D2, x = X1, y = Y1, z = param
enum class Slot : std::uint8_t { a, b, c, x, y, z, w };
constexpr std::size_t slot_count = 7;

/// A matrix or vector in the caller's memory. Offsets and strides count elements.
struct Operand {
  cl_mem memory = nullptr;
  std::size_t offset = 0;
  /// A matrix's leading dimension, a vector's increment (which may be negative: element i is then
  /// at offset + (n - 1 - i) * |increment|), 0 for packed matrices and single scalars.
  std::int64_t stride = 0;
};

/// What a routine is called with, whatever the interface it came through. Fields that a routine
/// does not have stay as they are here.
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
  std::array<Operand, slot_count> operands{};

  Operand& operator[](Slot slot) { return operands[static_cast<std::size_t>(slot)]; }
  const Operand& operator[](Slot slot) const { return operands[static_cast<std::size_t>(slot)]; }
};

/// Where a call runs and what it waits for. With several queues, which belong to one context, the
/// work is shared out; events[j], where `events` is not null, is queue j's last command of this
/// call (left alone where that queue got no work) and the caller's to release.
struct Execution {
  std::span<const cl_command_queue> queues;
  std::span<const cl_event> after = {};
  cl_event* events = nullptr;
};

}  // namespace kiln::blas
