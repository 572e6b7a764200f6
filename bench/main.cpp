// kiln-bench --list | NAME… [--json] [--avx2]: measures what Kiln promises, both sides in one
// paired run. Exit code: 0 measured, 1 something falls short, 2 a name that is no group and no bar.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "device/device.hpp"
#include "frame/report.hpp"
#include "rival/libraries.hpp"

namespace {

using namespace kiln;
using namespace kiln::bench;

bool chosen(const Bar& bar, const std::string& name) {
  return bar.name == name || bar.name.starts_with(name + "/");
}

int list(const std::vector<Bar>& bars) {
  for (const auto& bar : bars) {
    fmt::print("{:<28} {:<14} {}\n", bar.name, limit_text(bar), bar.text);
  }
  return 0;
}

/// Of several bars the one that is the furthest below its limit, or the least above it.
class Worst {
 public:
  void add(const Bar& bar, const Outcome& outcome) {
    if (!outcome) return;
    ++measured_;
    short_ += falls_short(bar, outcome);
    const double reached =
        bar.holds == Holds::at_least ? outcome->value / bar.limit : bar.limit / outcome->value;
    if (measured_ == 1 || reached < reached_) {
      reached_ = reached;
      name_ = bar.name;
    }
  }
  int measured() const { return measured_; }
  int falling_short() const { return short_; }
  std::string line() const {
    return fmt::format("{} measured, {} fall short; the worst: {}, {:.3g} of its bar", measured_,
                       short_, name_, reached_);
  }

 private:
  int measured_ = 0, short_ = 0;
  double reached_ = 0;
  std::string name_;
};

int measure(const std::vector<Bar>& bars, const Context& context, bool as_json) {
  Worst worst;
  const char* separator = "[\n";
  for (const auto& bar : bars) {
    const Outcome outcome = figure_of(bar, context);
    worst.add(bar, outcome);
    if (as_json) {
      fmt::print("{}{}", separator, json(bar, outcome));
      separator = ",\n";
    } else {
      fmt::print("{}\n", line(bar, outcome));
    }
    std::fflush(stdout);
  }
  if (!as_json && worst.measured() > 1) fmt::print("{}\n", worst.line());
  fmt::print("{}", as_json ? "\n]\n" : fmt::format("machine: {}\n", machine()));
  return worst.falling_short() > 0 ? 1 : 0;
}

/// Begins again with a library before LLVM that takes AVX-512 away, and the like said to rivals.
/// Returns only where that fails, with what to print.
std::string begin_again_with_avx2(char** argv, const fs::path& binaries) {
  const fs::path library = binaries.parent_path() / "lib" / "libkiln-bench-avx2.so";
  if (!fs::exists(library)) return fmt::format("{} is absent", library.string());
  ::setenv(rival::avx2_variable, "1", 1);
  ::setenv("LD_PRELOAD", library.c_str(), 1);
  // The device has another name, so that it shares nothing in the store with what it was.
  ::execv("/proc/self/exe", argv);
  return "cannot begin again: " + std::string(std::strerror(errno));
}

/// Whether a device still has AVX-512: PoCL names devices after the processor.
bool has_avx512() {
  const auto devices = all_devices();
  return !devices || std::ranges::any_of(*devices, [](const DevicePtr& device) {
    return device->name.find("avx512") != std::string::npos;
  });
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Measures the bars that Kiln must reach");
  std::vector<std::string> names;
  bool only_list = false, as_json = false, only_avx2 = false;
  std::string source = KILN_SOURCE_DIR;
  app.add_flag("--list", only_list, "print every bar");
  app.add_flag("--json", as_json, "print an array of objects");
  app.add_flag("--avx2", only_avx2, "without AVX-512, on either side: PoCL, OpenBLAS, oneDNN");
  app.add_option("--source", source, "the project's folder, where the build was carried away");
  app.add_option("names", names, "groups (spec) or bars (spec/version)");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }

  const auto binaries = fs::read_symlink("/proc/self/exe").parent_path();
  // Rivals alone are never held to it.
  if (!only_avx2) ::unsetenv(rival::avx2_variable);
  if (only_avx2 && !rival::is_held_to_avx2()) {
    fmt::print(stderr, "kiln-bench: {}\n", begin_again_with_avx2(argv, binaries));
    return 2;
  }
  if (only_avx2 && has_avx512()) {
    fmt::print(stderr, "kiln-bench: PoCL's device has AVX-512 all the same (--avx2)\n");
    return 2;
  }
  std::vector<Bar> bars = all_bars();
  if (only_list) return list(bars);
  std::vector<Bar> wanted;
  for (const auto& name : names) {
    const std::size_t before = wanted.size();
    for (const auto& bar : bars) {
      if (chosen(bar, name)) wanted.push_back(bar);
    }
    if (wanted.size() == before) {
      fmt::print(stderr, "kiln-bench: '{}' is no group and no bar (--list shows all)\n", name);
      return 2;
    }
  }
  if (wanted.empty()) {
    fmt::print(stderr, "kiln-bench: names a group or a bar, or --list\n");
    return 2;
  }
  return measure(wanted, {binaries, fs::absolute(source)}, as_json);
}
