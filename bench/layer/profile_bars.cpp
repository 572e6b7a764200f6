#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/clock.hpp"
#include "base/os/process.hpp"
#include "device/device.hpp"
#include "frame/statistics.hpp"
#include "kernel/traits/device_roofs.hpp"
#include "layer/bars.hpp"
#include "spec/sandbox.hpp"

namespace kiln::bench {
namespace {

/// What a program's device work takes: rival-layer_device_work prints it.
struct Work {
  double round_us = 0, fastest_us = 0, slowest_us = 0, launch_ns = 0;
};

/// A process; it throws where it cannot run.
Work work_of(const Context& context, const Environment& environment) {
  ProcessRequest request;
  request.program = context.binaries / "rival-layer_device_work";
  request.environment = environment;
  const auto result = value_or_throw(run_process(request));
  if (result.exit_code != 0)
    throw Error(Errc::unsupported, "rival-layer_device_work: " + result.errors);
  Work work;
  std::istringstream words(result.output);
  if (!(words >> work.round_us >> work.fastest_us >> work.slowest_us >> work.launch_ns))
    throw Error(Errc::unsupported, "rival-layer_device_work printed: " + result.output);
  return work;
}

/// Both sides have the layer and one store. The process's own start and end, where the profile is
/// opened and written, are not a part of it.
Outcome profile_cost(const Context& context) {
  constexpr int pairs = 100;
  const Sandbox box;
  Environment without = box.environment();
  without.emplace_back("OPENCL_LAYERS", context.binaries.parent_path() / "lib/libkiln-layer.so");
  Environment with = without;
  with.emplace_back("KILN_LAYER_PROFILE", box.path() / "profile");
  // Kept by the layer, and served from then on.
  work_of(context, without);
  Work last;
  Pairs launches;
  const auto side = [&](const Environment& environment, std::vector<double>& launch_ns) -> Sample {
    return [&, environment]() -> tl::expected<double, std::string> {
      fs::remove_all(box.path() / "profile");
      fs::create_directories(box.path() / "profile");
      last = work_of(context, environment);
      launch_ns.push_back(last.launch_ns);
      return last.round_us;
    };
  };
  auto figure =
      ratio(value_of(interleave(side(with, launches.first), side(without, launches.second), pairs)),
            "us");
  figure.detail += fmt::format("; kernels of {:.0f} to {:.0f} us; a small launch {:.0f} ns more",
                               last.fastest_us, last.slowest_us, difference(launches, "ns").value);
  if (fs::is_empty(box.path() / "profile")) return not_measured("there is no profile");
  return figure;
}

DevicePtr pocl_device() {
  for (const auto& device : value_or_throw(all_devices()))
    if (device->pocl) return device;
  throw Error(Errc::not_found, "no device of PoCL");
}

/// A roof that the profile page draws, and what clpeak calls it.
struct Roof {
  const char* finding;  ///< its name among those of device_roofs()
  double DeviceRoofs::*figure;
  const char* clpeak_option;
};
constexpr Roof roofs[] = {
    {"single precision, one chain", &DeviceRoofs::single_chained_flops, "--compute-sp"},
    {"reads of global memory", &DeviceRoofs::read_bytes, "--global-bandwidth"}};

/// Measures one roof, the others being on record.
double measure(const DevicePtr& device, const Roof& roof) {
  DriverFindings findings(nullptr, DriverFindings::WithoutStore::by_this);
  Findings others;
  std::vector<std::string> names;
  for (const char* name :
       {"single precision", "single precision, one chain", "double precision",
        "double precision, one chain", "reads of global memory", "copies in global memory"}) {
    if (std::string_view(name) == roof.finding) continue;
    names.emplace_back(name);
    others[name] = {true, "1", true};
  }
  findings.get(fmt::format("roofs of {} compute units", device->compute_units), *device, names,
               [&](const auto&) { return others; });
  const double found = device_roofs(findings, device).*roof.figure;
  if (found <= 0) throw Error(Errc::unsupported, fmt::format("no {}", roof.finding));
  return found * 1e-9;
}

/// clpeak's figure in 1e9 a second, the best of its vector widths. Throws where there is none.
double ask_clpeak(const Sandbox& box, const DevicePtr& device, const char* option) {
  const fs::path file = box.path() / "clpeak.xml";
  fs::remove(file);
  const cl::Platform platform(device->handle.getInfo<CL_DEVICE_PLATFORM>());
  std::vector<cl::Platform> platforms;
  cl::Platform::get(&platforms);
  std::size_t number = 0;
  while (number < platforms.size() && platforms[number]() != platform()) ++number;
  ProcessRequest request;
  request.program = "/usr/bin/clpeak";
  request.arguments = {"-p", std::to_string(number), "-d", "0", option, "--xml-file", file};
  request.environment = box.environment();
  request.environment.emplace_back("HOME", box.path());
  request.environment.emplace_back("OPENCL_LAYERS", "");
  request.limit = std::chrono::minutes(5);
  const auto result = value_or_throw(run_process(request));
  if (result.exit_code != 0) throw Error(Errc::unsupported, "clpeak: " + result.errors);
  const std::string told = value_or_throw(read_text(file));
  double best = 0;
  for (auto at = told.find("<float"); at != told.npos; at = told.find("<float", at + 1))
    best = std::max(best, std::atof(told.c_str() + told.find('>', at) + 1));
  if (best <= 0) throw Error(Errc::unsupported, "clpeak measured nothing");
  return best;
}

/// How much the machine's cores do for others since it was made.
class Others {
 public:
  /// Cores that were not ours, on average.
  double cores() const { return (seconds() - start_) / watch_.seconds(); }

 private:
  /// Of all processes, and of the system that took cores away, without this one and its children.
  static double seconds() {
    std::ifstream file("/proc/stat");
    std::string name;
    double user = 0, nice = 0, system = 0, idle = 0, waits = 0, hard = 0, soft = 0, stolen = 0;
    file >> name >> user >> nice >> system >> idle >> waits >> hard >> soft >> stolen;
    double sum =
        (user + nice + system + hard + soft + stolen) / static_cast<double>(::sysconf(_SC_CLK_TCK));
    for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
      rusage used{};
      ::getrusage(who, &used);
      for (const timeval& time : {used.ru_utime, used.ru_stime})
        sum -= static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    }
    return sum;
  }

  double start_ = seconds();
  Stopwatch watch_;
};

/// By turns, since a machine's clocks change: clpeak measures its widest vectors last, and Kiln
/// follows at once. clpeak gives means, which sink where others use the machine, and Kiln what a
/// quarter of its launches exceed: only rounds that were not disturbed can be compared.
Outcome roof_distance(const Context&) {
  constexpr std::size_t rounds = 5, least = 3;
  constexpr double disturbed = 0.1;  // cores
  if (!fs::exists("/usr/bin/clpeak")) return not_measured("clpeak is not installed");
  use_own_driver_cache();
  const Sandbox box;
  const DevicePtr device = pocl_device();
  Figure figure;
  for (const Roof& roof : roofs) {
    Pairs pairs;
    std::vector<double> others_cores;  // in rounds that do not count
    while (pairs.first.size() + others_cores.size() < rounds && others_cores.size() < least) {
      const Others others;
      const double by_clpeak = ask_clpeak(box, device, roof.clpeak_option);
      const double by_kiln = measure(device, roof);
      if (const double cores = others.cores(); cores > disturbed) {
        others_cores.push_back(cores);
      } else {
        pairs.first.push_back(by_kiln);
        pairs.second.push_back(by_clpeak);
      }
    }
    if (pairs.first.size() < least)
      return not_measured(fmt::format("the machine is in use: others have {:.2f} cores of it",
                                      median(others_cores)));
    const Figure one = ratio(pairs, "1e9/s");
    figure.value = std::max(figure.value, std::abs(one.value - 1) * 100);
    figure.detail += fmt::format("{}{}: {:.3f} of clpeak's, {}", figure.detail.empty() ? "" : "; ",
                                 roof.finding, one.value, one.detail);
  }
  return figure;
}

}  // namespace

std::vector<Bar> layer_profile_bars() {
  return {
      {"layer/profile", "a program's device work with `--profile`, against that without",
       Holds::at_most, 1.02, "x", profile_cost},
      {"layer/roofs", "roofs of the profile's page on PoCL, the one farther from clpeak's",
       Holds::at_most, 5, "%", roof_distance},
  };
}

}  // namespace kiln::bench
