#include <fmt/format.h>

#include <cstdlib>
#include <sstream>

#include "base/os/process.hpp"
#include "layer/bars.hpp"
#include "spec/sandbox.hpp"

namespace kiln::bench {
namespace {

enum class Statistic { geometric_mean, smallest };

/// The rival runs itself with the layer, without and with KILN_LAYER_TUNE by turns.
Outcome local_sizes(const Context& context, const char* device, const char* side,
                    Statistic statistic) {
  const Sandbox box;
  ProcessRequest request;
  request.program = context.binaries / "rival-layer_local_sizes";
  request.arguments = {"compare",   device, context.binaries.parent_path() / "lib/libkiln-layer.so",
                       box.store(), "100",  side};
  request.environment = box.environment();
  request.limit = std::chrono::minutes(10);
  const auto result = run_process(request);
  if (!result) return not_measured(result.error().message());
  if (result->exit_code != 0) return not_measured("no comparison: " + result->errors);
  double mean = 0, smallest = 0;
  std::string worst;
  std::istringstream lines(result->output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    if (name == "geometric-mean") words >> mean;
    if (name == "smallest") words >> smallest >> worst;
  }
  if (mean <= 0 || smallest <= 0) return not_measured("no comparison: " + result->output);
  return Figure{statistic == Statistic::smallest ? smallest : mean,
                fmt::format("20 kernels on a {}: geometric mean {:.3f}, smallest {:.3f} ({})",
                            device, mean, smallest, worst)};
}

}  // namespace

std::vector<Bar> layer_tune_bars() {
  return {
      {"layer/tune-gpu", "kernels that pass no local size on a GPU, without --tune against with it",
       Holds::at_least, 1.15, "x",
       [](const Context& c) { return local_sizes(c, "gpu", "2048", Statistic::geometric_mean); }},
      {"layer/tune-gpu-worst", "the kernel of these that gains least", Holds::at_least, 0.98, "x",
       [](const Context& c) { return local_sizes(c, "gpu", "2048", Statistic::smallest); }},
      {"layer/tune-pocl", "the same on PoCL's processor, the mean", Holds::at_least, 0.98, "x",
       [](const Context& c) { return local_sizes(c, "cpu", "256", Statistic::geometric_mean); }},
  };
}

}  // namespace kiln::bench
