#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "blas/call/call.hpp"
#include "blas/routines/matrix_data.hpp"

namespace kiln::blas::testing {

/// The memory of a call's arguments on the host, by slot; arguments of another type (a norm, an
/// index) lie in elements of T, too.
template <class T>
using Memory = std::array<std::vector<T>, slot_count>;
template <class T>
void* address(Memory<T>& memory, Slot slot) {
  return memory[static_cast<std::size_t>(slot)].data();
}

/// How the matrix of a slot is stored.
Layout layout_of(const Call& call, Slot slot);

/// A call with all of its memory. What is no element of an argument is NaN: between lines and
/// increments, in the other triangle, on diagonals of ones, around everything. So is what a beta of
/// zero must not read.
template <class T>
class Case {
 public:
  /// The call's operands have increments; leading dimensions and offsets come from the seed.
  Case(const Call& call, unsigned seed) : call_(call) {
    unsigned next = seed;
    for (const Use& use : Uses(call_)) fill(use, ++next);
    if (call.routine == Routine::rotm) set_rotation(seed);
    before_ = memory_;
    poison_results();
  }

  const Call& call() const { return call_; }
  /// As Kiln gets it.
  const Memory<T>& memory() const { return memory_; }
  /// As a library gets it that may read what it multiplies by zero: results are zero then.
  const Memory<T>& readable() const { return before_; }

 private:
  static T nan() { return T(std::numeric_limits<Real<T>>::quiet_NaN()); }
  std::vector<T>& memory_of(Slot slot) { return memory_[static_cast<std::size_t>(slot)]; }

  bool is_triangular() const { return options_diag(call_.routine); }
  static bool options_diag(Routine routine) {
    return (routine >= Routine::trmv && routine <= Routine::trsv) || routine == Routine::tpmv ||
           routine == Routine::tpsv || routine == Routine::tbmv || routine == Routine::tbsv ||
           routine == Routine::trmm || routine == Routine::trsm;
  }
  static bool solves(Routine routine) {
    return routine == Routine::trsv || routine == Routine::tpsv || routine == Routine::tbsv ||
           routine == Routine::trsm;
  }

  /// Whether C comes out as it went in. Some libraries then clear the imaginary parts of a
  /// hermitian matrix's diagonal, which should be zero anyway, and some do not touch it.
  bool keeps_result() const {
    return (call_.routine == Routine::herk || call_.routine == Routine::her2k) &&
           (call_.k == 0 || call_.alpha == Scalar(0)) && call_.beta == Scalar(1);
  }

  void fill(const Use& use, unsigned seed) {
    Operand& operand = call_[use.slot];
    operand.offset = seed % 4;
    const bool is_scalar = use.form == Use::Form::packed && call_.routine < Routine::gemv;
    if (is_scalar) {
      memory_of(use.slot) = OperandData<T>::vector(use.length, 1, operand.offset, seed).all();
    } else if (use.form == Use::Form::vector) {
      const auto inc = static_cast<int>(operand.stride);
      auto data = OperandData<T>::vector(use.length, inc, operand.offset, seed);
      std::vector<T> gaps(data.all().size(), nan());
      for (std::size_t i = 0; i < use.length; ++i) gaps[data.at(i)] = data.all()[data.at(i)];
      memory_of(use.slot) = std::move(gaps);
    } else {
      fill_matrix(use, seed);
    }
  }

  void fill_matrix(const Use& use, unsigned seed) {
    const Layout layout = layout_of(call_, use.slot);
    const unsigned none = layout.rows * layout.columns == 0 ? 1 : 0;  // libraries want some ld
    MatrixData<T> data(layout, none + seed % 3, call_[use.slot].offset, seed);
    const bool triangle = use.slot == Slot::a && is_triangular();
    const auto n = static_cast<Real<T>>(data.layout().rows);
    if (triangle)
      data.for_each([&](std::size_t i, std::size_t j) {
        T& element = data.element(i, j);
        if (i == j && call_.diag == Diag::unit)
          element = nan();
        else if (!solves(call_.routine))
          return;
        else if (i == j)  // solutions of random triangles grow with 2^n
          element += std::copysign(Real<T>(1), std::real(element));
        else
          element *= 4 / (n + 4);
      });
    if (use.access != Use::Access::read && keeps_result())
      for (std::size_t i = 0; i < layout.rows; ++i)
        if (data.has(i, i)) data.element(i, i) = T(std::real(data.element(i, i)));
    call_[use.slot].stride = data.stride();
    memory_of(use.slot) = data.data().all();
  }

  void set_rotation(unsigned seed) {
    constexpr int flags[] = {-2, -1, 0, 1};
    const std::size_t at = call_[Slot::z].offset;
    memory_of(Slot::z)[at] = T(static_cast<Real<T>>(flags[seed % 4]));
  }

  void poison_results() {
    const bool overwrites = (call_.routine >= Routine::gemv && call_.beta == Scalar(0)) ||
                            call_.routine == Routine::copy;
    for (const Use& use : Uses(call_)) {
      const bool result = use.slot == Slot::c || use.slot == Slot::y;
      if (use.access == Use::Access::read || !result || !overwrites) continue;
      for (std::size_t i = 0; i < memory_of(use.slot).size(); ++i) {
        T& readable = before_[static_cast<std::size_t>(use.slot)][i];
        if (readable == readable) readable = 0;  // an element
        memory_of(use.slot)[i] = nan();
      }
    }
  }

  Call call_;
  Memory<T> memory_, before_;
};

}  // namespace kiln::blas::testing
