#include "build/bars.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <memory>
#include <thread>

#include "base/os/process.hpp"
#include "spec/sandbox.hpp"

namespace kiln::bench {

namespace {

/// Processor seconds, user and system, of all children that ended.
double children_seconds() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// A release build of the source in a folder of its own, as a newcomer makes it: libraries and
/// programs, no tests. Nothing comes from a compiler cache.
class FreshBuild {
 public:
  explicit FreshBuild(const Context& context) : source_(context.source) {
    run("cmake",
        {"--preset", "release", "-B", folder().string(), "-DKILN_TESTS=OFF", "-DKILN_BENCH=OFF"});
    const double before = children_seconds();
    make("product");
    product_seconds_ = children_seconds() - before;
  }

  double product_seconds() const { return product_seconds_; }

  /// Seconds of waiting for a target after a source of a module was touched.
  double after_touching(const fs::path& touched, const std::string& target) const {
    fs::last_write_time(source_ / touched, fs::file_time_type::clock::now());
    const auto start = std::chrono::steady_clock::now();
    make(target);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

 private:
  fs::path folder() const { return sandbox_.path() / "build"; }

  void make(const std::string& target) const {
    const auto at_once = std::to_string(std::max(1u, std::thread::hardware_concurrency()));
    run("ninja", {"-C", folder().string(), "-j", at_once, target});
  }

  void run(const std::string& program, std::vector<std::string> arguments) const {
    // Found by the search path, as people's shells do.
    arguments.insert(arguments.begin(), program);
    const auto result = value_or_throw(run_process({.program = "/usr/bin/env",
                                                    .arguments = std::move(arguments),
                                                    .environment = {{"CCACHE_DISABLE", "1"}},
                                                    .folder = source_}));
    if (result.exit_code != 0)
      throw Error(Errc::unsupported,
                  fmt::format("{} failed: {}", program,
                              result.errors.empty() ? result.output : result.errors));
  }

  fs::path source_;
  Sandbox sandbox_;
  double product_seconds_ = 0;
};

const FreshBuild& fresh_build(const Context& context) {
  static const FreshBuild build(context);
  return build;
}

Outcome product(const Context& context) {
  return Figure{fresh_build(context).product_seconds() / 60, "user and system time together"};
}

Outcome touched(const Context& context) {
  const fs::path source = "src/kernel/program/launch.cpp";
  return Figure{fresh_build(context).after_touching(source, "kiln"), source.string()};
}

}  // namespace

std::vector<Bar> build_bars() {
  return {
      {"build/product", "processor time to compile and link all of Kiln without a compiler cache",
       Holds::at_most, 12, "minutes", product},
      {"build/touched", "waiting from a changed source of src/kernel to the linked command",
       Holds::at_most, 15, "s", touched},
  };
}

}  // namespace kiln::bench
