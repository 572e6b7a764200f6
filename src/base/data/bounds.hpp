#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "kiln/error.hpp"

/// Bounds on what inputs make this process take: sizes that are computed, JSON that is parsed.
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

/// What a JSON text may hold. A value takes some 20 to 150 bytes of memory for each of its text,
/// and values within values take a parser's or a printer's stack.
struct JsonBounds {
  std::size_t values = 4'000'000;
  std::size_t depth = 100;
};

/// Whether a text stays within the bounds, from its brackets, commas and texts alone: said before a
/// parser takes memory and time for it. What is no JSON is the parser's to refuse. Errors:
/// bad_input, with the byte at which a bound is passed.
Expected<void> check_json_bounds(std::string_view text, const JsonBounds& bounds = {});

}  // namespace kiln
