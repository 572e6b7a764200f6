// The first run of a kernel that is new to the machine: no store, no driver cache, on either side.
#include <fmt/format.h>

#include <fstream>

#include "frame/whole_process.hpp"
#include "spec/bars.hpp"
#include "spec/sandbox.hpp"

namespace kiln::bench {

namespace {

constexpr int kFirstRunPairs = 15;
constexpr int kFirstRunItems = 1024;

/// A sandbox with the example and a kernel text that differs from every other one's, so that no
/// cache anywhere can hold it.
class Newcomer {
 public:
  Newcomer(const Context& context, int number) {
    const fs::path examples = context.source / "examples";
    fs::copy_file(examples / "specs/vector_add.json", spec());
    std::ofstream(kernel()) << value_or_throw(read_text(examples / "kernels/vector_add.cl"))
                            << fmt::format("constant int number_of_this_text = {};\n", number);
  }
  fs::path spec() const { return sandbox_.path() / "vector_add.json"; }
  fs::path kernel() const { return sandbox_.path() / "vector_add.cl"; }
  Environment environment() const { return sandbox_.environment(); }

 private:
  Sandbox sandbox_;
};

Sample first_run(const Context& context, std::string policy) {
  return [context, policy, number = 0]() mutable {
    const Newcomer newcomer(context, ++number);
    auto environment = newcomer.environment();
    if (!policy.empty()) environment.emplace_back("KILN_COMPILE", policy);
    return time_process({context.binaries / "kiln",
                         {"run", newcomer.spec().string(), "--set",
                          fmt::format("dataset={}", kFirstRunItems), "--devices", "cpu"},
                         environment});
  };
}

Sample plain_build(const Context& context) {
  return [context, number = 0]() mutable {
    const Newcomer newcomer(context, ++number);
    return time_process({context.binaries / "rival-vector_add_source",
                         {newcomer.kernel().string(), std::to_string(kFirstRunItems)},
                         newcomer.environment()});
  };
}

Outcome first_run_time(const Context& context) {
  const Sample rival = plain_build(context);
  auto figure = ratio(value_of(interleave(first_run(context, ""), rival, kFirstRunPairs, 1)), "ms");
  for (const char* policy : {"apart", "background", "here"}) {
    const auto other =
        ratio(value_of(interleave(first_run(context, policy), rival, kFirstRunPairs / 3, 1)), "ms");
    figure.detail += fmt::format(", --compile {}: {:.3f}", policy, other.value);
  }
  return figure;
}

}  // namespace

Bar first_run_bar() {
  return {"spec/first-run",
          "first run of a new kernel, nothing cached, against clBuildProgram and run by hand",
          Holds::at_most,
          1.15,
          "x",
          first_run_time};
}

}  // namespace kiln::bench
