#pragma once

#include <algorithm>

#include "kiln/mesh/par_loop.hpp"

namespace kiln::mesh {

/// Several things of a kind, one after another: the parts of a mixed function space. Two are equal
/// where their parts are. At least one part (else bad_input).
template <class Part>
class Mixed {
 public:
  Mixed(const Mixed&) = default;
  Mixed& operator=(const Mixed&) = default;
  explicit Mixed(std::vector<Part> parts) : parts_(std::move(parts)) {
    if (parts_.empty()) throw Error(Errc::bad_input, "mixed: no parts, expected 1 or more");
  }
  std::size_t size() const { return parts_.size(); }
  /// A part below size(): not checked.
  const Part& operator[](std::size_t part) const { return parts_[part]; }
  Part& operator[](std::size_t part) { return parts_[part]; }
  auto begin() const { return parts_.begin(); }
  auto end() const { return parts_.end(); }
  auto begin() { return parts_.begin(); }
  auto end() { return parts_.end(); }
  bool operator==(const Mixed&) const = default;

 private:
  std::vector<Part> parts_;
};

using MixedSet = Mixed<Set>;
using MixedDataSet = Mixed<DataSet>;
/// Maps from one set to the parts of a MixedSet (else bad_input where they are used).
using MixedMap = Mixed<Map>;

/// A Dat on each part. Arithmetic is that of the parts; the other operand has as many (else
/// bad_input).
class KILN_API MixedDat : public Mixed<Dat> {
 public:
  using Mixed::Mixed;
  /// `right`: another MixedDat, or a number.
  template <class Right>
  MixedDat& operator+=(const Right& right) {
    return each(right, [](Dat& a, const auto& b) { a += b; });
  }
  template <class Right>
  MixedDat& operator-=(const Right& right) {
    return each(right, [](Dat& a, const auto& b) { a -= b; });
  }
  template <class Right>
  MixedDat& operator*=(const Right& right) {
    return each(right, [](Dat& a, const auto& b) { a *= b; });
  }
  template <class Right>
  MixedDat& operator/=(const Right& right) {
    return each(right, [](Dat& a, const auto& b) { a /= b; });
  }
  MixedDat& axpy(const Number& alpha, const MixedDat& x) {
    return each(x, [&](Dat& a, const Dat& b) { a.axpy(alpha, b); });
  }
  void fill(const Number& value) {
    each(value, [](Dat& a, const Number& b) { a.fill(b); });
  }
  void zero() { fill(0); }
  /// What the parts hold goes to those of another one.
  void copy(const MixedDat& to) const;
  /// The sum of the parts' inner products, in double. Waits for it.
  double inner(const MixedDat& other) const;
  /// The Euclidean norm of all components of all parts. Waits for it.
  double norm() const;

 private:
  void check(const MixedDat& other) const;
  template <class Call>
  MixedDat& each(const Number& number, Call&& call) {
    for (Dat& part : *this) call(part, number);
    return *this;
  }
  template <class Call>
  MixedDat& each(const MixedDat& other, Call&& call) {
    check(other);
    for (std::size_t p = 0; p < size(); ++p) call((*this)[p], other[p]);
    return *this;
  }
};

/// An argument of a loop that may have parts. Made by arg(), or of an Arg.
struct MixedArg {
  std::vector<Arg> parts;
  /// Fused parts reach the kernel as one: the pointers to targets, or a matrix, whose parts are in
  /// rows of so many.
  bool is_fused = false;
  std::size_t column_parts = 0;             ///< 0: no matrix
  MixedArg(const Arg& one) : parts{one} {}  // NOLINT: meant to be implicit
  /// Parts for a loop over a MixedSet, one for each of its sets.
  static MixedArg by_part(std::vector<Arg> parts) { return {std::move(parts), false, 0}; }
  /// Parts that a kernel gets as one, through Maps. `column_parts`: of a matrix, else 0.
  static MixedArg as_one(std::vector<Arg> parts, std::size_t column_parts = 0) {
    return {std::move(parts), true, column_parts};
  }

 private:
  MixedArg(std::vector<Arg> all, bool fused, std::size_t columns)
      : parts(std::move(all)), is_fused(fused), column_parts(columns) {}
};

/// Of the element itself, for loops over a MixedSet: each part is of the loop over its set.
KILN_API MixedArg arg(const MixedDat& dat, Access access);
/// Through all Maps: the kernel gets one array `T **` with a pointer for each target of the first
/// part, then of the second, …: as long as the arities together. All parts are of one type.
KILN_API MixedArg arg(const MixedDat& dat, const MixedMap& maps, Access access);

/// A loop with fused arguments; without iteration indices. Throws as the plain one does.
KILN_API void par_loop(const Kernel& kernel, const Iteration& over,
                       std::span<const MixedArg> arguments);
/// A loop over each part, in their order. Plain arguments are given to all of them.
KILN_API void par_loop(const Kernel& kernel, const MixedSet& over,
                       std::span<const MixedArg> arguments);

template <class... Args>
requires(std::is_same_v<Args, MixedArg> ||
         ...) void par_loop(const Kernel& kernel, const Iteration& over, const Args&... arguments) {
  const std::array<MixedArg, sizeof...(Args)> all{MixedArg(arguments)...};
  par_loop(kernel, over, std::span<const MixedArg>(all));
}
template <class... Args>
void par_loop(const Kernel& kernel, const MixedSet& over, const Args&... arguments) {
  const std::array<MixedArg, sizeof...(Args)> all{MixedArg(arguments)...};
  par_loop(kernel, over, std::span<const MixedArg>(all));
}

}  // namespace kiln::mesh
