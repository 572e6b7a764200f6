#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "device/opencl.hpp"
#include "kiln/blas/call.hpp"
#include "kiln/blas/types.hpp"

// What is asked of BLAS (blas::Call, in the public header), where it runs, which memory it touches
// and how much work it is.
namespace kiln::blas {

// ---- Precisions and options
constexpr bool is_complex(Precision p) { return p == Precision::c || p == Precision::z; }
constexpr bool is_double(Precision p) { return p == Precision::d || p == Precision::z; }
constexpr char letter(Precision p) { return "sdcz"[static_cast<int>(p)]; }
/// The precision of the parts of a complex number, and of a norm.
constexpr Precision real_of(Precision p) { return is_double(p) ? Precision::d : Precision::s; }
/// Bytes of one element.
constexpr std::size_t size_of(Precision p) {
  return (is_double(p) ? 8u : 4u) * (is_complex(p) ? 2u : 1u);
}

/// Bits of one element of an operand.
constexpr std::size_t bits_of(Storage stored, Precision p) {
  switch (stored) {
    case Storage::native:
      return 8 * size_of(p);
    case Storage::half:
    case Storage::bfloat16:
      return 16;
    case Storage::int32:
      return 32;
    case Storage::int4:
      return 4;
    default:
      return 8;
  }
}

constexpr Uplo other(Uplo uplo) { return uplo == Uplo::upper ? Uplo::lower : Uplo::upper; }
constexpr Side other(Side side) { return side == Side::left ? Side::right : Side::left; }

/// Whether a routine's result is the place of an element.
constexpr bool finds_place(Routine routine) {
  return routine == Routine::iamax || routine == Routine::iamin || routine == Routine::imax ||
         routine == Routine::imin;
}
/// Whether a routine has a Window.
constexpr bool is_windowed(Routine routine) {
  return routine == Routine::im2col || routine == Routine::col2im || routine == Routine::conv;
}

/// Rows and columns of the A of a call with a side.
constexpr std::size_t square_of(const Call& call) {
  return call.side == Side::left ? call.m : call.n;
}

// ---- Queues and events
/// Where a call runs and what it waits for. With several queues, which belong to one context, the
/// work is shared out; events[j], where `events` is not null, is queue j's last command of this
/// call (left alone where that queue got no work) and the caller's to release.
struct Execution {
  std::span<const cl_command_queue> queues;
  std::span<const cl_event> after = {};
  cl_event* events = nullptr;
};

/// What a queue's driver says of it. Throws kiln::Error (device).
template <class T>
T queue_fact(cl_command_queue queue, cl_command_queue_info name) {
  T value{};
  check_cl(::clGetCommandQueueInfo(queue, name, sizeof value, &value, nullptr),
           "clGetCommandQueueInfo");
  return value;
}

// ---- Memory arguments
/// How a routine uses one of its memory arguments.
struct Use {
  enum class Form : std::uint8_t { matrix, vector, packed };
  enum class Access : std::uint8_t { read, write, both };
  Slot slot{};
  Form form{};
  Access access{};
  /// A matrix: elements that lie side by side, and how many such lines there are, a leading
  /// dimension apart. A vector and a packed matrix: elements, and 1.
  std::size_t length = 0, lines = 1;
  std::size_t element = 0;  ///< bytes
  std::size_t in_one = 1;   ///< elements in so many bytes: int4 has two
  std::size_t items = 1;    ///< of a batch, Operand::batch_stride apart
};

/// The memory arguments of a call in the order in which they are checked; none of what the call
/// would not touch.
class Uses {
 public:
  explicit Uses(const Call& call);
  auto begin() const { return uses_.begin(); }
  auto end() const { return uses_.begin() + static_cast<std::ptrdiff_t>(count_); }
  std::size_t size() const { return count_; }
  const Use& operator[](std::size_t index) const { return uses_[index]; }

 private:
  friend struct UseList;
  std::array<Use, 9> uses_{};
  std::size_t count_ = 0;
};

/// Elements from the start of the buffer to the end of what a use touches; false where that
/// overflows.
bool extent_of(const Use& use, const Operand& operand, std::size_t& extent);
/// The same in bytes.
bool bytes_of(const Use& use, const Operand& operand, std::size_t& bytes);

/// "ABCxyzw" and so on: what people call a slot.
std::string_view name_of(Slot slot);
/// Whether some operand of a call lies in memory otherwise than the call's precision says.
bool has_stored(const Call& call);

// ---- Batches
/// Whether a product's sizes are those of the form for many small ones
/// (templates/small_product.cl).
constexpr bool is_small_product(std::size_t m, std::size_t n, std::size_t k) {
  return m <= 256 && n <= 256 && k <= 512;
}
/// The longest vectors whose axpy has a form for many, where these are at least so many.
constexpr std::size_t longest_of_table = 4096, longest_of_many = 65536, many = 32;
constexpr bool is_small_axpy(std::size_t n, std::size_t batch) {
  return n <= longest_of_table || (n <= longest_of_many && batch >= many);
}
/// Whether there is a form for many calls like this one, with a table of their places.
constexpr bool has_table_form(const Call& call) {
  return call.routine == Routine::gemm   ? is_small_product(call.m, call.n, call.k)
         : call.routine == Routine::axpy ? is_small_axpy(call.n, call.batch)
                                         : false;
}
/// Bytes of a record in the table of Call::by_items.
constexpr std::size_t item_bytes(Precision p) {
  // Two scalars and three offsets, aligned as the scalars are.
  return p == Precision::z ? 64 : 2 * size_of(p) + 24;
}
/// Whether two items of a batch write to one element of an operand whose extent is a number.
bool items_overlap(const Use& use, const Operand& operand);

// ---- Work
/// Whether a routine is bound by computing (level 3) or by the bandwidth of memory.
bool is_compute_bound(Routine routine);
/// Floating-point operations of a call of level 3, those of real types.
double operations_of(const Call& call);
/// Bytes that a call must read and write at least.
double traffic_of(const Call& call);
/// The strides that contiguous operands have.
Call contiguous(Call call);

}  // namespace kiln::blas
