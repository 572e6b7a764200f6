// Any text as a kernel's source: the analysis that decides whether a kernel may be split ends, and
// what it says holds together. Whoever reads the result relies on it: no reason, no refusal.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "kernel/facts/read_facts.hpp"

namespace {

void require(bool holds, const char* what, const std::string& shown) {
  if (holds) return;
  std::fprintf(stderr, "%s: %s\n", what, shown.c_str());
  std::abort();
}

void check_lines(const std::vector<std::string>& lines) {
  for (const auto& line : lines) {
    require(!line.empty(), "an empty reason", "");
    for (const char c : line)
      require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F, "a control character", line);
  }
}

void check(std::string_view text, std::string_view options) {
  const auto all = kiln::read_kernel_facts(text, options, {"k"});
  if (!all) return;  // no libclang here
  const auto& safety = all->front();
  require(*kiln::decode_kernel_facts(kiln::encode(*all)) == *all, "other bytes", "");
  check_lines(safety.reasons);
  check_lines(safety.suspicions);
  require(safety.splittable == safety.reasons.empty(),
          "refused without a reason, or in spite of one",
          safety.reasons.empty() ? "none" : safety.reasons.front());
  require(safety.suspicious == !safety.suspicions.empty(), "suspicious without why", "");
  require(safety.found || !safety.splittable, "a kernel that is not there may be split", "");
  for (const auto& parameter : safety.parameters)
    require(parameter.is_pointer || !parameter.written, "a value is written", parameter.name);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(text, "");
  check(text, "-DN=4 -DT=float -DF(x)=get_group_id(x)");
  return 0;
}
