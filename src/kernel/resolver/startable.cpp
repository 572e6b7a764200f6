#include <fmt/format.h>

#include <utility>

#include "kernel/resolver/resolver.hpp"

// Programs whose handle in the driver is the caller's: an OpenCL layer makes it in the
// application's context and gives it to no one else.
namespace kiln {
namespace {

/// The kernels of an archive by their names alone.
std::vector<KernelInfo> kernels_in(ByteView binary) {
  std::vector<KernelInfo> kernels;
  if (const auto archive = poclbin::parse(binary))
    for (const auto& kernel : archive->kernels)
      kernels.push_back({std::string(kernel.name), {}, {}});
  return kernels;
}

}  // namespace

Resolver::Startable Resolver::startable(const Request& request, const DevicePtr& device,
                                        const std::vector<KernelVariant>& wanted,
                                        Explanation* explanation,
                                        const BeforeMaking& before_making) {
  std::optional<EnvironmentExplanation> asked;
  if (explanation == nullptr && explains_by_environment()) explanation = asked.emplace().get();
  if (request.source && request.source->module() != nullptr)
    value_or_throw(takes_module(*device, *request.source->module(), request.source->name()));
  Work work{request, {}, nullptr, device, wanted, explanation};
  work.canonical = canonical_request(request, {}, *device);
  work.key = key_of(work.canonical);
  work.is_detached = true;
  if (explanation != nullptr) {
    explanation->what = fmt::format("{} on {}", request.label, device->name);
    explanation->key = work.key.hex();
  }
  if (!load_stored(work)) {
    if (before_making) before_making(work.key);
    make_alone(work);
  }
  Startable found;
  found.binary = work.artifact.binary;
  if (work.artifact.kernels.empty()) work.artifact.kernels = kernels_in(found.binary);
  found.build_log = work.build_log;
  found.canonical = work.canonical;
  found.right = std::move(work.right);
  found.program = program_of(work);
  return found;
}

void Resolver::keep_built(const Request& request, const DevicePtr& device, Startable&& of,
                          Bytes binary, const std::string& log, double seconds) {
  Work work{request, {}, nullptr, device, {}};
  work.key = of.program->key();
  work.canonical = std::move(of.canonical);
  work.artifact.binary = std::move(binary);
  work.build_log = log;
  work.cost_seconds = seconds;
  if (request.source) work.source = request.source->digest();
  work.right = std::move(of.right);
  keep(work);
}

Resolver::Startable Resolver::startable_archive(const DevicePtr& device, Bytes archive,
                                                const std::string& label,
                                                const std::string& options,
                                                Explanation* explanation) {
  Startable found;
  found.binary = std::move(archive);
  const auto parsed = poclbin::parse(found.binary);
  if (!parsed || !device->pocl ||
      parsed->device_id != poclbin::device_id(device->pocl_device_string))
    return found;
  Request request;
  request.family = "archive";
  request.payload = Facts{{"digest", blake2b(found.binary).hex()},
                          {"bytes", static_cast<std::int64_t>(found.binary.size())}};
  request.label = label;
  request.options = options;
  Work work{request, {}, nullptr, device, {}, explanation};
  work.canonical = canonical_request(request, {}, *device);
  work.key = key_of(work.canonical);
  work.is_detached = true;
  if (explanation != nullptr) {
    explanation->what = fmt::format("{} on {}", label, device->name);
    explanation->key = work.key.hex();
  }
  if (load_stored(work)) {
    // The application's own files win: a store can only add variants to them.
    if (auto both = poclbin::merge(found.binary, work.artifact.binary))
      found.binary = *std::move(both);
  }
  work.artifact.form = Artifact::Form::pocl_archive;
  work.artifact.binary = found.binary;
  work.artifact.kernels = kernels_in(found.binary);
  found.canonical = work.canonical;
  found.program = program_of(work);
  return found;
}

}  // namespace kiln
