// How far `--partition auto` is from the best partition class, which it does not know beforehand.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "spec/bars.hpp"
#include "spec/regret.hpp"
#include "spec/sandbox.hpp"

namespace kiln::bench {

namespace {

using Regrets = tl::expected<std::vector<Regret>, std::string>;

/// A set of devices, and why it may be absent.
struct Machine {
  const char* name;
  const char* devices;  ///< as for --devices
  unsigned cores;       ///< compute units that the CPU must have
};
constexpr Machine kMachines[] = {
    {"sub", "cpu/2", 2}, {"4-12", "cpu/4,12", 16}, {"gpu", "gpu,cpu", 1}};

tl::expected<std::vector<DevicePtr>, std::string> devices_of(const Machine& machine) {
  const auto cpus = select_devices("cpu");
  if (!cpus) return not_measured("no CPU device");
  if (cpus->front()->compute_units < machine.cores)
    return not_measured(
        fmt::format("{} cores, {} are needed", cpus->front()->compute_units, machine.cores));
  auto devices = select_devices(machine.devices);
  if (!devices)
    return not_measured(std::string(machine.name) == "gpu" ? "no GPU" : devices.error().message());
  devices->resize(std::min<std::size_t>(devices->size(), 2));
  return *devices;
}

/// Two bars judge one measurement, so it is kept.
const Regrets& regrets(const Context& context, const Machine& machine) {
  static std::map<std::string, Regrets> known;
  const auto present = known.find(machine.name);
  if (present != known.end()) return present->second;
  const auto measure = [&]() -> Regrets {
    use_own_driver_cache();
    const auto devices = devices_of(machine);
    if (!devices) return tl::unexpected(devices.error());
    std::vector<Regret> list;
    for (const auto& subject : split_subjects()) {
      list.push_back(measure_regret(context, subject, *devices));
      // On demand: which class was the best, and what the model believed.
      if (std::getenv("KILN_BENCH_VERBOSE")) fmt::print(stderr, "{}\n", list.back().text());
    }
    return list;
  };
  try {
    return known.emplace(machine.name, measure()).first->second;
  } catch (const std::exception& error) {
    return known.emplace(machine.name, tl::unexpected<std::string>(error.what())).first->second;
  }
}

std::string summary(const std::vector<Regret>& list) {
  std::string text;
  for (const auto& regret : list)
    text += fmt::format("{}{} {:.3f}", text.empty() ? "" : ", ", regret.kernel, regret.ratio);
  // Splits of CPUs mean little where others want the same cores: then run it under `chrt -f 1`.
  double load = 0;
  if (::getloadavg(&load, 1) == 1) text += fmt::format("; load average {:.1f}", load);
  return text;
}

Outcome kernels_within(const Context& context, const Machine& machine) {
  const auto& list = regrets(context, machine);
  if (!list) return not_measured(list.error());
  const auto good = std::count_if(list->begin(), list->end(),
                                  [](const Regret& regret) { return regret.ratio <= 1.05; });
  return Figure{static_cast<double>(good), summary(*list)};
}

Outcome worst(const Context& context, const Machine& machine) {
  const auto& list = regrets(context, machine);
  if (!list) return not_measured(list.error());
  const auto last =
      std::max_element(list->begin(), list->end(),
                       [](const Regret& a, const Regret& b) { return a.ratio < b.ratio; });
  return Figure{last->ratio,
                fmt::format("{}, dataset {}: {:.4g} ms split {}, {:.4g} ms by class {}",
                            last->kernel, last->dataset, last->auto_ms,
                            fmt::join(last->weights, ":"), last->best_ms, last->best_class)};
}

}  // namespace

std::vector<Bar> auto_bars() {
  std::vector<Bar> bars;
  for (const auto& machine : kMachines) {
    bars.push_back({fmt::format("spec/auto-regret-{}", machine.name),
                    fmt::format("kernels of 10 on which auto, after 5 runs, takes at most 1.05 "
                                "times the best of 0..10 ({})",
                                machine.devices),
                    Holds::at_least, 8, "kernels", [&machine](const Context& context) {
                      return kernels_within(context, machine);
                    }});
    bars.push_back({fmt::format("spec/auto-worst-{}", machine.name),
                    fmt::format("auto's time over the best of 0..10, the worst of the 10 kernels "
                                "({})",
                                machine.devices),
                    Holds::at_most, 1.15, "x",
                    [&machine](const Context& context) { return worst(context, machine); }});
  }
  return bars;
}

}  // namespace kiln::bench
