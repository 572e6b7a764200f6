#include "kiln/error.hpp"

#include <iterator>

namespace kiln {

const char* name_of(Errc code) noexcept {
  // In the order of the enumeration.
  constexpr const char* names[] = {"bad_input", "not_found", "io",     "corrupt", "unsupported",
                                   "refused",   "build",     "device", "timeout", "internal"};
  const auto index = static_cast<std::size_t>(code);
  return index < std::size(names) ? names[index] : "unknown";
}

int exit_code(Errc code) noexcept {
  const bool users = code == Errc::bad_input || code == Errc::not_found || code == Errc::build ||
                     code == Errc::unsupported;
  return users ? 2 : 1;
}

}  // namespace kiln
