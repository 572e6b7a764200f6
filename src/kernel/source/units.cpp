#include "kernel/source/units.hpp"

#include "base/data/byte_fields.hpp"

namespace kiln {
namespace {

constexpr std::string_view first_line = "@kiln linked program 1\n";

constexpr auto fields = [](auto& to, auto& units) {
  to.list("units", units, 12, [&](auto& unit) {
    to.field("text", unit.text);
    to.field("options", unit.options);
    to.list("headers", unit.headers, 8, [&](auto& header) {
      to.field("name", header.first);
      to.field("header", header.second);
    });
  });
  to.expect(!units.empty(), "units", "are none");
};

}  // namespace

std::string text_of_units(const std::vector<Unit>& units) {
  return std::string(first_line) + std::string(as_text(bytes_by(fields, units)));
}

bool are_units(std::string_view text) { return text.starts_with(first_line); }

Expected<std::vector<Unit>> units_of_text(std::string_view text) {
  constexpr std::string_view what = "linked program";
  if (!are_units(text)) return fail(Errc::corrupt, "a linked program does not begin as one");
  text.remove_prefix(first_line.size());
  return read_by<std::vector<Unit>>(fields, as_bytes(text), what);
}

}  // namespace kiln
