#include <fmt/format.h>
#include <sched.h>

#include <cstdlib>

#include "base/os/process.hpp"
#include "frame/statistics.hpp"
#include "frame/whole_process.hpp"
#include "layer/bars.hpp"
#include "spec/sandbox.hpp"

namespace kiln::bench {
namespace {

fs::path library(const Context& context, const char* name) {
  return context.binaries.parent_path() / "lib" / name;
}

/// A child's one number.
Sample number_of(const Context& context, const char* word, Environment environment) {
  return [=]() -> tl::expected<double, std::string> {
    ProcessRequest request;
    request.program = context.binaries / "rival-layer_calls";
    request.arguments = {word};
    request.environment = environment;
    const auto result = run_process(request);
    if (!result) return not_measured(result.error().message());
    if (result->exit_code != 0) return not_measured("rival-layer_calls: " + result->errors);
    return std::atof(result->output.c_str());
  };
}

/// Both sides over the driver that does nothing; the layer's store knows the program already.
struct Sides {
  Sandbox box;
  Environment without, with;

  explicit Sides(const Context& context, bool null_driver = true) {
    without = box.environment();
    if (null_driver)
      without.emplace_back("OCL_ICD_VENDORS", library(context, "libkiln-null-driver.so"));
    without.emplace_back("OPENCL_LAYERS", "");
    with = without;
    with.back().second = library(context, "libkiln-layer.so");
    with.emplace_back("KILN_STORE", box.store());
  }
};

Outcome call_cost(const Context& context, const char* word) {
  const Sides sides(context);
  // Keeps the program: it is served from then on.
  value_of(number_of(context, "enqueue", sides.with)());
  return difference(value_of(interleave(number_of(context, word, sides.with),
                                        number_of(context, word, sides.without), 9, 1)),
                    "ns");
}

/// Keeps this thread, and the processes that it starts, on one core while it lives: no start is
/// moved to another one half-way.
class OneCore {
 public:
  OneCore() {
    if (::sched_getaffinity(0, sizeof before_, &before_) != 0) return;
    cpu_set_t last;
    CPU_ZERO(&last);
    for (int core = CPU_SETSIZE - 1; core >= 0 && CPU_COUNT(&last) == 0; --core)
      if (CPU_ISSET(core, &before_)) CPU_SET(core, &last);
    is_set_ = ::sched_setaffinity(0, sizeof last, &last) == 0;
  }
  ~OneCore() {
    if (is_set_) (void)::sched_setaffinity(0, sizeof before_, &before_);
  }
  OneCore(const OneCore&) = delete;
  OneCore& operator=(const OneCore&) = delete;

 private:
  cpu_set_t before_;
  bool is_set_ = false;
};

Outcome start_cost(const Context& context) {
  constexpr int pairs = 1001, warm_up = 20;
  // A driver of some milliseconds would hide the layer, which does the same above any of them.
  const Sides sides(context);
  const fs::path program = context.binaries / "rival-layer_calls";
  const OneCore one_core;
  return difference(
      value_of(interleave(timed({program, {"platforms"}, sides.with}),
                          timed({program, {"platforms"}, sides.without}), pairs, warm_up)),
      "ms");
}

Outcome memory_cost(const Context& context) {
  const Sides sides(context, false);
  auto figure = difference(value_of(interleave(number_of(context, "nothing", sides.with),
                                               number_of(context, "nothing", sides.without), 9, 1)),
                           "kB");
  figure.value /= 1000;
  return figure;
}

}  // namespace

std::vector<Bar> layer_cost_bars() {
  return {
      {"layer/call-set-arg", "clSetKernelArg with the layer, over a driver that does nothing",
       Holds::at_most, 50, "ns more", [](const Context& c) { return call_cost(c, "set-arg"); }},
      {"layer/call-enqueue", "clEnqueueNDRangeKernel of a served kernel, over the same driver",
       Holds::at_most, 200, "ns more", [](const Context& c) { return call_cost(c, "enqueue"); }},
      {"layer/start", "a program that builds nothing, with the layer", Holds::at_most, 1, "ms more",
       start_cost},
      {"layer/memory", "its own memory, with the layer", Holds::at_most, 5, "MB more", memory_cost},
  };
}

}  // namespace kiln::bench
