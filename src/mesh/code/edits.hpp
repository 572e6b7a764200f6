#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::mesh {

/// A change of a text: `removed` bytes at `at` give way to `inserted`.
struct Edit {
  std::uint32_t at = 0, removed = 0;
  std::string inserted;
  auto operator<=>(const Edit&) const = default;
};

/// The bytes begin … end - 1 of a text with those edits that lie there. Equal edits count once (a
/// macro's body is met at each of its uses); insertions at one place keep their order.
std::string edited(std::string_view text, std::uint32_t begin, std::uint32_t end,
                   std::vector<Edit> edits);

}  // namespace kiln::mesh
