// Searches on a device: what the tuner itself costs, and what it finds in ten minutes.
#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/clock.hpp"
#include "base/os/file.hpp"
#include "base/os/process.hpp"
#include "blas/tune/blas_tunable.hpp"
#include "device/device.hpp"
#include "rival/problem.hpp"
#include "tune/bars.hpp"

namespace kiln::bench {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kSize = 1024;

/// What `kiln tune sgemm` prints with these options, in a folder of its own and with an empty
/// store.
tl::expected<Json, std::string> tune(const Context& context,
                                     const std::vector<std::string>& options) {
  const auto folder = TemporaryFolder::create("kiln-bench-tune");
  if (!folder) return not_measured(folder.error().message());
  const auto inside = [&](const char* name) { return (folder->path() / name).string(); };
  ProcessRequest request;
  request.program = context.binaries / "kiln";
  request.arguments = {"tune", "sgemm", "-n", std::to_string(kSize), "--json"};
  request.arguments.insert(request.arguments.end(), options.begin(), options.end());
  request.environment = {{"KILN_STORE", inside("store")}, {"XDG_STATE_HOME", inside("state")}};
  const auto ran = run_process(request);
  if (!ran) return not_measured(ran.error().message());
  if (ran->exit_code != 0) return not_measured(ran->errors);
  return Json::parse(ran->output);
}

Outcome search_overhead(const Context& context) {
  const auto result = tune(context, {"--budget", "60s"});
  if (!result) return not_measured(result.error());
  const Json& json = *result;
  return Figure{
      json["overhead"].get<double>() * 100,
      fmt::format("{} candidates in {:.1f} s, of which {:.1f} s compiling and {:.1f} s "
                  "running",
                  json["evaluated"].get<int>(), json["seconds"].get<double>(),
                  json["compiling_seconds"].get<double>(), json["running_seconds"].get<double>())};
}

tune::ConfigurationId found_by(const tune::SearchSpace& space, const Json& result) {
  tune::Positions at;
  for (const auto& parameter : space.parameters())
    at.push_back(static_cast<std::uint16_t>(tune::position_of(
        parameter, expr::Value(result["best"][parameter.name].get<std::int64_t>()))));
  return space.find(at).value();
}

Outcome ten_minutes(const Context& context) {
  if (std::getenv("KILN_LONG") == nullptr)
    return not_measured("takes half an hour; expected KILN_LONG=1");
  const auto whole = tune(context, {"--strategy", "exhaustive", "--budget", "4h"});
  if (!whole) return not_measured(whole.error());
  const auto ten = tune(context, {"--budget", "10m"});
  if (!ten) return not_measured(ten.error());

  const auto devices = value_or_throw(select_devices(""));
  const DevicePtr device = devices.front();
  blas::Call call;
  call.routine = blas::Routine::gemm;
  const auto tunable = value_or_throw(blas::make_blas_tunable(
      blas::contiguous(rival::square(call, kSize)), blas::TuningDevice::of(*device)));
  Resolver resolver(nullptr);
  const Queue queue(kiln::Context::create({device}), device);
  const auto bench = tunable->open(resolver, queue.context(), queue);
  const auto best = found_by(tunable->space(), *whole), found = found_by(tunable->space(), *ten);
  std::vector<double> ratios;
  constexpr int kPairs = 61;
  for (const auto id : {best, found}) bench->prepare(id);
  for (int pair = 0; pair < kPairs; ++pair) {
    const bool first = pair % 2 == 0;
    const double a = bench->run(first ? best : found, 5), b = bench->run(first ? found : best, 5);
    ratios.push_back(first ? a / b : b / a);
  }
  return Figure{
      median(ratios),
      fmt::format("{} of {} configurations in 10 minutes found {}; all of them, in {:.0f} "
                  "minutes, {}",
                  (*ten)["evaluated"].get<int>(), tunable->space().size(),
                  tunable->space().text(found), (*whole)["seconds"].get<double>() / 60,
                  tunable->space().text(best))};
}

}  // namespace

std::vector<Bar> search_bars() {
  return {
      {"tune/overhead",
       "of a search for a minute, what is neither compiling nor running: kiln tune sgemm -n 1024",
       Holds::at_most, 5, "%", search_overhead},
      {"tune/ten-minutes",
       "speed of the best SGEMM of 1024 found in 10 minutes against the best of the whole space",
       Holds::at_least, 0.95, "x", ten_minutes}};
}

}  // namespace kiln::bench
