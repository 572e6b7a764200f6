// layer_cases [--list | NAME…]: runs all cases, or those named, and writes their transcripts.
// --list names all where KILN_LONG is set, and else all but the long ones.
//
// Between names, --keep-context and --release-context say where the process keeps a context of its
// own as well, to the end of the last case at most. PoCL 3.1 forgets its library of built-in
// functions with the last context, so that without one each case reads it again: two thirds of the
// time.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "cases.hpp"

namespace kiln::layer_cases {

std::vector<Case>& all_cases() {
  static auto* cases = new std::vector<Case>;
  return *cases;
}

bool add_case(const Case& added) {
  all_cases().push_back(added);
  return true;
}

namespace {

/// In an order that does not depend on the linker.
void sort_cases() {
  std::sort(all_cases().begin(), all_cases().end(), [](const Case& a, const Case& b) {
    const int files = std::strcmp(a.file, b.file);
    return files != 0 ? files < 0 : a.line < b.line;
  });
}

void run(const Case& chosen) {
  std::printf("case %s\n", chosen.name);
  Environment environment;
  chosen.body(environment);
}

/// The context that is kept, of the device that cases work on.
Context kept_context() { return std::move(Environment().context); }

constexpr std::string_view keep_word = "--keep-context", release_word = "--release-context";

int run_named(const std::vector<std::string_view>& names) {
  struct Step {
    std::string_view name;
    const Case* chosen;  ///< null for the words about the context
  };
  std::vector<Step> steps;
  for (const std::string_view name : names) {
    if (name == keep_word || name == release_word) {
      steps.push_back({name, nullptr});
      continue;
    }
    const auto found = std::find_if(all_cases().begin(), all_cases().end(),
                                    [&](const Case& c) { return c.name == name; });
    if (found == all_cases().end()) {
      std::fprintf(stderr, "layer_cases: there is no case '%s'; --list names all\n",
                   std::string(name).c_str());
      return 2;
    }
    steps.push_back({name, &*found});
  }
  Context kept;
  for (const Step& step : steps)
    if (step.chosen != nullptr)
      run(*step.chosen);
    else
      kept = step.name == keep_word ? kept_context() : Context();
  return 0;
}

int run_all() {
  for (const Case& c : all_cases()) run(c);
  return 0;
}

int list() {
  for (const Case& c : all_cases())
    if (!c.is_long || std::getenv("KILN_LONG") != nullptr) std::puts(c.name);
  return 0;
}

}  // namespace
}  // namespace kiln::layer_cases

int main(int argc, char** argv) {
  using namespace kiln::layer_cases;
  // Line by line: what a kernel prints goes to the file descriptor at once, and a crash must not
  // take what was answered before it.
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 16);
  register_exit_handlers();
  sort_cases();
  const std::vector<std::string_view> names(argv + 1, argv + argc);
  if (names.empty()) return run_all();
  if (names.size() == 1 && names[0] == "--list") return list();
  return run_named(names);
}
