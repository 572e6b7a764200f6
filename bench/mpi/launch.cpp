// Starting ranks, and what they need: meshes, cores, devices.
#include "mpi/launch.hpp"

#include <fmt/format.h>

#include <map>
#include <sstream>

#include "base/os/environment.hpp"
#include "base/os/file.hpp"
#include "device/device.hpp"

namespace kiln::bench {
namespace {

const TemporaryFolder& scratch() {
  static const TemporaryFolder folder = value_or_throw(TemporaryFolder::create("kiln-bench-mpi"));
  return folder;
}

fs::path launcher() {
  const fs::path found = find_in_path("mpirun");
  if (found.empty()) throw Error(Errc::not_found, "mpirun is not installed (Debian: openmpi-bin)");
  return found;
}

fs::path program(const Context& context, const char* name) {
  fs::path path = context.binaries / name;
  if (!fs::exists(path))
    throw Error(Errc::not_found, fmt::format("{} is not built: needs MPI", name));
  return path;
}

/// Open MPI in a container, with more ranks than cores where a bar says so.
std::vector<std::pair<std::string, std::string>> variables() {
  return {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
          {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
          {"OMPI_MCA_btl_vader_single_copy_mechanism", "none"},
          {"OMPI_MCA_hwloc_base_binding_policy", "none"},
          {"KILN_STORE", scratch_path("store")}};
}

ProcessResult run(ProcessRequest request) {
  request.limit = std::chrono::minutes(15);
  auto result = run_process(request);
  if (!result) throw Error(result.error().code(), result.error().message());
  if (result->timed_out)
    throw Error(Errc::io, fmt::format("{} does not end", request.program.filename().string()));
  if (result->exit_code != 0) {
    const std::string line = result->errors.substr(0, result->errors.find('\n'));
    throw Error(Errc::io, line.empty() ? "the ranks fail" : line);
  }
  return std::move(*result);
}

}  // namespace

std::string scratch_path(const std::string& name) { return (scratch().path() / name).string(); }

nlohmann::json run_ranks(const Context& context, const Ranks& ranks,
                         const std::vector<std::string>& words) {
  ProcessRequest request{.program = launcher(),
                         .arguments = {"--oversubscribe", "-np", std::to_string(ranks.count)}};
  for (const auto& word : ranks.placement) request.arguments.push_back(word);
  request.arguments.push_back(program(context, "bench-mpi").string());
  for (const auto& word : words) request.arguments.push_back(word);
  request.environment = variables();
  for (const auto& one : ranks.environment) request.environment.push_back(one);
  const ProcessResult result = run(std::move(request));
  std::istringstream lines(result.output);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with('{')) return nlohmann::json::parse(line);
  throw Error(Errc::io, "the ranks print nothing");
}

std::string grid_of(const Context& context, int along, int out) {
  static std::map<std::pair<int, int>, std::string> made;
  std::string& path = made[{along, out}];
  if (!path.empty()) return path;
  const std::string wanted = scratch_path(fmt::format("grid-{}-{}.h5", along, out));
  run({.program = program(context, "kiln"),
       .arguments = {"mesh", "naca0012", "-I", std::to_string(along), "-J", std::to_string(out),
                     "-o", wanted}});
  return path = wanted;
}

void need_cores(int cores) {
  const std::size_t here = usable_processors();
  if (here < static_cast<std::size_t>(cores))
    throw Error(Errc::unsupported,
                fmt::format("the machine has {} cores, expected {}", here, cores));
}

void need_gpus(int gpus) {
  const auto found = select_devices("gpu");
  const std::size_t here = found ? found->size() : 0;
  if (here < static_cast<std::size_t>(gpus))
    throw Error(Errc::unsupported, fmt::format("the machine has {} GPUs, expected {}", here, gpus));
}

}  // namespace kiln::bench
