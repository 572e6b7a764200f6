#include "blas/api/shape_difference.hpp"

#include <fmt/format.h>

namespace kiln::blas {
namespace {

struct Field {
  const char* name;
  std::uint64_t (*of)(const Shape&);
};

constexpr Field fields[] = {
    {"the order's number", [](const Shape& s) -> std::uint64_t { return s.order; }},
    {"the side's number", [](const Shape& s) -> std::uint64_t { return s.side; }},
    {"the triangle's number", [](const Shape& s) -> std::uint64_t { return s.uplo; }},
    {"A's transposition", [](const Shape& s) -> std::uint64_t { return s.trans_a; }},
    {"B's transposition", [](const Shape& s) -> std::uint64_t { return s.trans_b; }},
    {"the diagonal's number", [](const Shape& s) -> std::uint64_t { return s.diag; }},
    {"a real alpha", [](const Shape& s) -> std::uint64_t { return s.real_alpha; }},
    {"m", [](const Shape& s) { return s.m; }},
    {"n", [](const Shape& s) { return s.n; }},
    {"k", [](const Shape& s) { return s.k; }},
    {"kl", [](const Shape& s) { return s.kl; }},
    {"ku", [](const Shape& s) { return s.ku; }},
};

std::string full_name_of(const Shape& shape) {
  return letter(static_cast<Precision>(shape.precision)) +
         std::string(name_of(static_cast<Routine>(shape.routine)));
}

}  // namespace

std::string difference_of(const Shape& asked, const Shape& prepared) {
  if (asked.routine != prepared.routine || asked.precision != prepared.precision)
    return fmt::format("it is {}, the plan's is {}", full_name_of(asked), full_name_of(prepared));
  for (const auto& field : fields)
    if (field.of(asked) != field.of(prepared))
      return fmt::format("{} is {}, the plan's is {}", field.name, field.of(asked),
                         field.of(prepared));
  constexpr std::string_view slots = "ABCxyzw";
  for (std::size_t slot = 0; slot < slot_count; ++slot)
    if (asked.strides[slot] != prepared.strides[slot])
      return fmt::format("the stride of {} is {}, the plan's is {}", slots[slot],
                         asked.strides[slot], prepared.strides[slot]);
  return "";
}

}  // namespace kiln::blas
