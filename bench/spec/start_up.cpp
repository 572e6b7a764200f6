// What the command costs before it does anything: whole processes against `true`, which is the
// price of any process on this machine.
#include "frame/whole_process.hpp"
#include "spec/bars.hpp"

namespace kiln::bench {

namespace {

constexpr int kStartPairs = 200;

Outcome more_than_true(const Context& context, std::vector<std::string> arguments) {
  const fs::path kiln = context.binaries / "kiln";
  if (!fs::exists(kiln)) return not_measured("the command kiln is not built");
  const Program nothing{"/bin/true", {}, {}};
  auto pairs = interleave(timed({kiln, std::move(arguments), {}}), timed(nothing), kStartPairs,
                          kStartPairs / 10);
  if (!pairs) return not_measured(pairs.error());
  return difference(*pairs, "ms");
}

}  // namespace

Bar version_bar() {
  return {"spec/version",
          "whole process `kiln --version`, against `true`",
          Holds::at_most,
          3,
          "ms more",
          [](const Context& context) {
            return more_than_true(context, {"--version"}); }};
}

Bar check_bar() {
  return {"spec/check",
          "whole process `kiln check` on one specification file, against `true`",
          Holds::at_most,
          8,
          "ms more",
          [](const Context& context) {
            const fs::path file = context.source / "examples/specs/vector_add.json";
            if (!fs::exists(file)) return Outcome(not_measured(file.string() + " is absent"));
            return more_than_true(context, {"check", file.string()});
          }};
}

}  // namespace kiln::bench
