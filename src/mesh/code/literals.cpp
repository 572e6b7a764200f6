#include "mesh/code/literals.hpp"

#include <fmt/format.h>

namespace kiln::mesh {
namespace {

// The least integers as expressions: -2147483648 alone is the negation of something larger.
constexpr const char* least[] = {"(-127 - 1)",
                                 "0",
                                 "(-32767 - 1)",
                                 "0",
                                 "(-2147483647 - 1)",
                                 "0u",
                                 "(-9223372036854775807L - 1L)",
                                 "0ul",
                                 "(-INFINITY)",
                                 "(-(double)INFINITY)"};
constexpr const char* greatest_values[] = {"127",
                                           "255",
                                           "32767",
                                           "65535",
                                           "2147483647",
                                           "4294967295u",
                                           "9223372036854775807L",
                                           "18446744073709551615ul",
                                           "INFINITY",
                                           "((double)INFINITY)"};

}  // namespace

std::string identity(ScalarType type, Access access) {
  const auto at = static_cast<std::size_t>(type);
  if (access == Access::min) return greatest_values[at];
  if (access == Access::max) return least[at];
  return "0";
}

std::string combined(ScalarType type, Access access, const std::string& a, const std::string& b) {
  if (access != Access::min && access != Access::max)
    return fmt::format("({})({} + {})", name_of(type), a, b);
  const char* before = access == Access::min ? "<" : ">";
  if (!is_floating(type)) return fmt::format("({1} {2} {0} ? {1} : {0})", a, b, before);
  return fmt::format("({0} != {0} ? {0} : {1} {2} {0} || {1} != {1} ? {1} : {0})", a, b, before);
}

}  // namespace kiln::mesh
