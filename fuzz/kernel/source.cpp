// Any text as a program: include expansion ends, and what it gives is stable. Expanding it again
// changes nothing but the first line's directive, and the digest is that of the text.

#include "kernel/source/source.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

void require(bool holds, const char* what, const std::string& shown) {
  if (holds) return;
  std::fprintf(stderr, "%s: %s\n", what, shown.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto source = kiln::from_text(text, "fuzz.cl");
  if (!source) {
    const std::string& message = source.error().message();
    require(message.find('\n') == std::string::npos, "an error of several lines", message);
    return 0;
  }
  const auto& first = **source;
  require(first.text().starts_with("#line 1 \"fuzz.cl\"\n"), "no #line in front", first.text());
  require(first.text().find('\r') == std::string::npos, "a carriage return", first.text());
  const auto again = kiln::from_text(text, "fuzz.cl");
  require(again.has_value() && (*again)->digest() == first.digest(), "another digest", "");
  const auto twice = kiln::from_text(first.text(), "fuzz.cl");
  require(twice.has_value(), "an expanded text does not expand", first.text());
  require((*twice)->text().ends_with(first.text()), "expansion is not stable", (*twice)->text());
  return 0;
}
