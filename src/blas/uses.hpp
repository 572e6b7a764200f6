#pragma once

#include <array>
#include <span>

#include "blas/call.hpp"

namespace kiln::blas {

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
  friend class UseList;
  std::array<Use, 5> uses_{};
  std::size_t count_ = 0;
};

/// Elements from the start of the buffer to the end of what a use touches; false where that
/// overflows.
bool extent_of(const Use& use, const Operand& operand, std::size_t& extent);

}  // namespace kiln::blas
