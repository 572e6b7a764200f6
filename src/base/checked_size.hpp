#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

namespace kiln {

/// A size that knows when it no longer fits its type, however it was computed from others:
///
///     const CheckedSize bytes = CheckedSize(rows) * columns * size_of(type) + offset;
///     if (!bytes.fits()) …
///
/// What was too large stays so, whatever it is multiplied by or added to.
class CheckedSize {
 public:
  constexpr CheckedSize(std::size_t value) : value_(value) {}  // NOLINT: sizes are meant to mix in
  /// For what a signed number counts; a negative one does not fit.
  static constexpr CheckedSize of_signed(std::int64_t value) {
    CheckedSize size(static_cast<std::size_t>(value));
    size.fits_ = value >= 0;
    return size;
  }

  constexpr CheckedSize& operator*=(const CheckedSize& other) {
    fits_ = !__builtin_mul_overflow(value_, other.value_, &value_) && fits_ && other.fits_;
    return *this;
  }
  constexpr CheckedSize& operator+=(const CheckedSize& other) {
    fits_ = !__builtin_add_overflow(value_, other.value_, &value_) && fits_ && other.fits_;
    return *this;
  }
  friend constexpr CheckedSize operator*(CheckedSize a, const CheckedSize& b) { return a *= b; }
  friend constexpr CheckedSize operator+(CheckedSize a, const CheckedSize& b) { return a += b; }

  /// Whether it is at most `most`; by default what an array of bytes can have at all.
  constexpr bool fits(std::size_t most = PTRDIFF_MAX) const { return fits_ && value_ <= most; }
  /// The size; nothing where it does not fit its type.
  constexpr std::optional<std::size_t> get() const {
    return fits_ ? std::optional(value_) : std::nullopt;
  }
  /// The size, where it is no more than `otherwise`, which stands for all that is more.
  constexpr std::size_t at_most(std::size_t otherwise) const {
    return fits(otherwise) ? value_ : otherwise;
  }

 private:
  std::size_t value_;
  bool fits_ = true;
};

}  // namespace kiln
