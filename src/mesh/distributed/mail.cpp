// How all parts come to throw the same.
#include "mesh/distributed/mail.hpp"

#include <algorithm>
#include <array>

namespace kiln::mesh {
namespace {

/// Longer lines are cut.
constexpr std::size_t longest_line = 400;

}  // namespace

void agree(Transport& transport, const Error* refused, std::string_view what) {
  const std::array mine{refused != nullptr ? static_cast<std::int32_t>(refused->code()) + 1 : 0};
  const auto all = gather_values<std::int32_t>(transport, mine, what);
  const auto first = std::ranges::find_if(all, [](std::int32_t code) { return code != 0; });
  if (first == all.end()) return;
  std::array<char, longest_line> line{};
  if (refused != nullptr) {
    const std::string_view text = refused->message();
    std::ranges::copy(text.substr(0, longest_line), line.begin());
  }
  const auto lines = gather_values<char>(transport, line, what);
  const std::string_view chosen(
      lines.data() + static_cast<std::size_t>(first - all.begin()) * longest_line, longest_line);
  throw Error(static_cast<Errc>(*first - 1), std::string(chosen.substr(0, chosen.find('\0'))));
}

}  // namespace kiln::mesh
