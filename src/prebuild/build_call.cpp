#include "prebuild/build_call.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/data/text.hpp"
#include "blas/call/recorded_call.hpp"
#include "blas/call/validate.hpp"
#include "schedule/job.hpp"
#include "schedule/recorded_kernel.hpp"
#include "spec/run/job.hpp"
#include "spec/run/recorded_spec.hpp"
#include "spec/run_spec.hpp"
#include "spec/tune/tuned_binding.hpp"

namespace kiln {
namespace {

using Explanations = std::vector<Explanation>;

/// A queue for each device; those of one context name its devices once.
std::vector<Queue> queues_on(const std::vector<DevicePtr>& devices) {
  std::vector<DevicePtr> different;
  for (const auto& device : devices)
    if (std::find(different.begin(), different.end(), device) == different.end())
      different.push_back(device);
  const auto context = kiln::Context::create(different);
  std::vector<Queue> queues;
  for (const auto& device : devices) queues.emplace_back(context, device);
  return queues;
}

Explanations build_blas(const RecordedCall& recorded, blas::Library& library) {
  const blas::Call call = value_or_throw(blas::call_of(recorded));
  const auto devices = value_or_throw(find_devices(recorded.devices));
  const auto queues = queues_on(devices);
  std::vector<cl_command_queue> handles;
  for (const auto& queue : queues) handles.push_back(queue.cl()());
  const blas::Execution execution = blas::execution_of(handles, {}, {});
  cl_ulong room = 0;
  for (const auto& device : devices) room = std::max(room, device->max_allocation);
  require_room(call, room);
  blas::throw_refusal(call, validate_shape(call, execution));
  blas::throw_refusal(call, blas::Library::check_queues(call, execution));
  return library.build(call, execution)->explanations();
}

/// As a run over these devices asks for it: with the variant of a part that begins elsewhere than
/// at the first work-item, where there are several.
Explanations build_program(const Request& request, const std::string& kernel, const NDRange& range,
                           const RecordedCall& recorded, Resolver& resolver) {
  Explanations explanations;
  const auto devices = value_or_throw(find_devices(recorded.devices));
  std::vector<KernelVariant> wanted{variant_of(kernel, range)};
  if (devices.size() > 1 && groups_of(range) > 1) {
    wanted.push_back(wanted.front());
    wanted.back().variant.zero_offset = false;
  }
  for (const auto& device : devices) {
    value_or_throw(check_range(range, *device));
    const auto context = kiln::Context::create({device});  // owns the program
    const Program& program =
        resolver.resolve(request, context, device, wanted, &explanations.emplace_back());
    program.kernel(kernel);  // throws where it is not there
  }
  return explanations;
}

Explanations build_spec(const RecordedCall& recorded, Resolver& resolver) {
  const auto run = value_or_throw(spec::recorded_spec_of(recorded));
  const auto loaded = value_or_throw(spec::load_spec(run.file, run.dialect));
  auto untuned = spec::bind_untuned(loaded, run);
  if (!untuned && !spec::lacks_symbols(loaded, run.symbols)) throw untuned.error();
  auto source = value_or_throw(spec::load_kernel_source(loaded, run.source_dirs));
  const auto devices = value_or_throw(find_devices(recorded.devices));
  const auto bound =
      spec::bind_tuned(loaded, run, resolver, devices, source, std::move(untuned)).bound;
  const Request request = value_or_throw(spec::make_request(loaded, bound, std::move(source)));
  return build_program(request, loaded.name, spec::range_of(bound), recorded, resolver);
}

Explanations build_kernel(const RecordedCall& recorded, Resolver& resolver) {
  const SourceKernel kernel = value_or_throw(source_kernel_of(recorded));
  Request request;
  request.family = "source";
  request.source = value_or_throw(load_source(kernel.file));
  request.options = kernel.options;
  request.label = kernel.kernel;
  return build_program(request, kernel.kernel, kernel.range, recorded, resolver);
}

}  // namespace

bool is_loop(const RecordedCall& call) { return call.kind == "loop" || call.kind == "matrix"; }

std::vector<Explanation> build_call(const RecordedCall& call, Resolver& resolver,
                                    blas::Library& library, const LoopBuilder& loops) {
  if (call.kind == "blas") return build_blas(call, library);
  if (call.kind == "spec") return build_spec(call, resolver);
  if (call.kind == "kernel") return build_kernel(call, resolver);
  if (is_loop(call)) {
    if (loops.build == nullptr)
      throw Error(
          Errc::unsupported,
          "loops are built by the program kiln-mesh, expected it next to kiln or in libexec/kiln, "
          "and the record in a regular file");
    Explanations explanations;
    for (const auto& device : value_or_throw(find_devices(call.devices)))
      explanations.push_back(loops.build(call, resolver, device));
    return explanations;
  }
  throw Error(Errc::bad_input,
              fmt::format("'kind': found '{}', expected blas, spec, kernel, loop or matrix",
                          one_line(call.kind)));
}

}  // namespace kiln
