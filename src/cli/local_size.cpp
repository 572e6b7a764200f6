#include "cli/local_size.hpp"

#include <fmt/format.h>

#include <charconv>

#include "kiln/error.hpp"

namespace kiln::cli {

std::vector<std::uint32_t> parse_local_size(const std::string& text) {
  std::vector<std::uint32_t> sizes;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    std::uint32_t size = 0;
    const auto [next, error] = std::from_chars(at, end, size);
    const bool more = next != end && (*next == 'x' || *next == ',') && next + 1 != end;
    if (error != std::errc() || size == 0 || sizes.size() == 3 || (next != end && !more))
      throw Error(Errc::bad_input,
                  fmt::format("--local-size: found '{}', expected one to three positive numbers, "
                              "as 64 or 16x16",
                              text));
    sizes.push_back(size);
    at = more ? next + 1 : next;
  }
  return sizes;
}

}  // namespace kiln::cli
