#include "expr/budget.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kiln::expr {
namespace {

/// A step is about what an instruction costs: copying 4 items or 64 bytes takes no longer.
constexpr std::size_t items_a_step = 4, bytes_a_step = 64;

/// Saturates: a product that overflows is past every bound anyway.
std::size_t multiplied(std::size_t a, std::size_t b) {
  std::size_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? static_cast<std::size_t>(-1) : product;
}

}  // namespace

Extent extent_of(const Value& value) {
  if (const auto* const text = std::get_if<std::string>(&value.data())) return {0, text->size(), 0};
  const auto* const list = std::get_if<List>(&value.data());
  if (!list) return {};
  Extent extent{list->size(), 0, 1};
  for (const Value& item : *list) {
    const Extent inner = extent_of(item);
    extent.items += inner.items;
    extent.bytes += inner.bytes;
    extent.nesting = std::max(extent.nesting, inner.nesting + 1);
  }
  return extent;
}

Expected<void> Budget::spend(std::size_t steps) {
  if (steps > limits_.steps - spent_) {
    return fail(Errc::bad_input,
                fmt::format("the evaluation takes more than {} steps", limits_.steps));
  }
  spent_ += steps;
  return {};
}

Expected<void> Budget::spend_on(const Value& value) {
  if (value.is_number()) return {};  // nearly every value: no walk, no arithmetic
  const Extent extent = extent_of(value);
  return spend(extent.items / items_a_step + extent.bytes / bytes_a_step);
}

/// Bounds before steps, so that an absurd size is named as such.
Expected<void> Budget::make(const Extent& extent, std::size_t times) {
  const std::size_t items = multiplied(extent.items, times);
  const std::size_t bytes = multiplied(extent.bytes, times);
  const auto refuse = [](const char* what, std::size_t bound) {
    return fail(Errc::bad_input, fmt::format(fmt::runtime(what), bound));
  };
  if (items > limits_.list_items) return refuse("a list of more than {} items", limits_.list_items);
  if (bytes > limits_.string_bytes) {
    return refuse("a string of more than {} bytes", limits_.string_bytes);
  }
  if (extent.nesting > limits_.depth) {
    return refuse("a list nested deeper than {} levels", limits_.depth);
  }
  return spend(items / items_a_step + bytes / bytes_a_step);
}

}  // namespace kiln::expr
