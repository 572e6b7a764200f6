#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <future>
#include <nlohmann/json.hpp>

#include "base/os/process.hpp"
#include "frame/statistics.hpp"
#include "layer/bars.hpp"
#include "spec/sandbox.hpp"

namespace kiln::bench {
namespace {

/// Real programs, which the scripts in tests/layer/programs run; those that build for a second or
/// more when nothing is cached.
constexpr const char* measured_programs[] = {"pyopencl",       "opencv",  "ffmpeg",   "viennacl_cg",
                                             "viennacl_dense", "clblast", "darktable"};

/// One run of a program: what it waited for in builds, queries of binaries and first launches.
struct Run {
  double seconds = 0;
  std::string output;
  int compiles = 0;  ///< that the layer has told of
};

/// A program's caches and its store. Each is emptied by its name.
class Trial {
 public:
  Trial(const Context& context, std::string name) : context_(context), name_(std::move(name)) {
    for (const char* folder : {"driver", "own", "home", "out"}) empty(folder);
  }

  void empty(const char* folder) const {
    fs::remove_all(box_.path() / folder);
    fs::create_directories(box_.path() / folder);
  }

  /// Throws where it cannot run.
  Run run(bool with_layer) const {
    const fs::path times = box_.path() / "times", report = box_.path() / "report";
    const fs::path libraries = context_.binaries.parent_path() / "lib";
    fs::remove(times);
    fs::remove(report);
    ProcessRequest request;
    request.program = "/bin/bash";
    request.arguments = {context_.source / "tests/layer/programs" / (name_ + ".sh"),
                         box_.path() / "out"};
    const std::string timing = libraries / "liblayer_timing.so";
    request.environment = {
        {"HOME", box_.path() / "home"},
        {"XDG_CACHE_HOME", box_.path() / "home/.cache"},
        {"POCL_CACHE_DIR", box_.path() / "driver"},
        {"LAYER_CACHE", box_.path() / "own"},
        {"LAYER_PROGRAMS", context_.binaries.parent_path() / "tests/layer/programs"},
        {"KILN_STORE", box_.store()},
        {"KILN_TIMING_OUT", times},
        {"KILN_LAYER_REPORT", report},
        {"OPENCL_LAYERS",
         with_layer ? (libraries / "libkiln-layer.so").string() + ":" + timing : timing}};
    const auto result = value_or_throw(run_process(request));
    if (result.exit_code == 77) throw Error(Errc::unsupported, result.output);
    if (result.exit_code != 0 || result.signal != 0)
      throw Error(Errc::unsupported,
                  fmt::format("{} ends with {}: {}", name_, result.exit_code, result.errors));
    Run run;
    std::ifstream lines(times);
    for (std::string line; std::getline(lines, line);)
      run.seconds += nlohmann::json::parse(line)["total_s"].get<double>();
    run.output = read_text(box_.path() / "out" / "output").value_or("");
    const std::string told = read_text(report).value_or("");
    for (const char* step : {"compile      hit", "variant      hit"})
      for (auto at = told.find(step); at != told.npos; at = told.find(step, at + 1)) ++run.compiles;
    return run;
  }

 private:
  Context context_;
  std::string name_;
  Sandbox box_;
};

constexpr int kProgramRounds = 3;

/// What of the caches is there when the program starts.
enum class Caches { none, drivers };

/// Time of the one over that of the other, and that outputs are equal and nothing is compiled.
Outcome build_time(const Context& context, const char* name, Caches caches) {
  const Trial plain(context, name), layered(context, name);
  // Two starts: what the driver chooses itself is learnt at the first one.
  const Run first = plain.run(false);
  layered.run(true);
  layered.empty("own");
  layered.run(true);
  Pairs pairs;
  int compiles = 0;
  for (int round = 0; round < kProgramRounds; ++round) {
    for (const Trial* trial : {&plain, &layered}) {
      trial->empty("own");
      if (caches == Caches::none) trial->empty("driver");
      const bool with_layer = trial == &layered;
      const Run run = trial->run(with_layer);
      if (run.output != first.output)
        return not_measured(with_layer ? "the output is another one with the layer"
                                       : "the output differs from run to run");
      (with_layer ? pairs.first : pairs.second).push_back(run.seconds);
      if (with_layer) compiles += run.compiles;
    }
  }
  if (caches == Caches::none) std::swap(pairs.first, pairs.second);
  auto figure = ratio(pairs, "s");
  figure.detail += fmt::format("; compiled with the warm store: {}", compiles);
  if (compiles > 0) return not_measured(figure.detail);
  return figure;
}

/// Sixteen processes that start together with empty caches and an empty store.
Outcome herd(const Context& context) {
  constexpr int processes = 16;
  const Sandbox box;
  const fs::path report = box.path() / "report";
  std::vector<std::future<Expected<ProcessResult>>> ends;
  for (int i = 0; i < processes; ++i) {
    ProcessRequest request;
    request.program = context.binaries / "rival-layer_calls";
    request.arguments = {"enqueue"};
    request.environment = box.environment();
    request.environment.emplace_back("KILN_STORE", box.store());
    request.environment.emplace_back("KILN_LAYER_REPORT", report);
    request.environment.emplace_back("OPENCL_LAYERS",
                                     context.binaries.parent_path() / "lib" / "libkiln-layer.so");
    ends.push_back(std::async(std::launch::async, [request] { return run_process(request); }));
  }
  for (auto& end : ends)
    if (const auto result = end.get(); !result || result->exit_code != 0)
      return not_measured("a process failed");
  const std::string told = value_or_throw(read_text(report));
  const auto count = [&](const char* text) {
    int found = 0;
    for (auto at = told.find(text); at != told.npos; at = told.find(text, at + 1)) ++found;
    return found;
  };
  return Figure{static_cast<double>(count("compile      hit")),
                fmt::format("{} processes, {} served", processes, count("\n  served\n"))};
}

}  // namespace

std::vector<Bar> layer_program_bars() {
  std::vector<Bar> bars;
  for (const char* name : measured_programs) {
    std::string shown = name;
    std::replace(shown.begin(), shown.end(), '_', '-');
    bars.push_back({fmt::format("layer/{}-cold", shown),
                    "build time without Kiln over that from a warm store, the driver's cache empty",
                    Holds::at_least, 10, "x",
                    [name](const Context& c) { return build_time(c, name, Caches::none); }});
    bars.push_back({fmt::format("layer/{}-warm", shown),
                    "build time from a warm store over that from the driver's warm cache",
                    Holds::at_most, 0.8, "x",
                    [name](const Context& c) { return build_time(c, name, Caches::drivers); }});
  }
  bars.push_back({"layer/herd", "compiles of 16 processes that start at once with one program",
                  Holds::at_most, 1, "compiles", herd});
  return bars;
}

}  // namespace kiln::bench
