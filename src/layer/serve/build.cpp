#include <algorithm>
#include <mutex>

#include "base/clock.hpp"
#include "kernel/program/link_units.hpp"
#include "layer/program/compile_record.hpp"
#include "layer/program/program_request.hpp"
#include "layer/program/usage.hpp"
#include "layer/serve/start.hpp"

// clBuildProgram of a served program: what the store has of it, or the helper makes, becomes a
// program of the driver that stands behind the application's handle.
namespace kiln::layer {
namespace {

ProgramText program_text(const Program& program, const BuildCall& call) {
  ProgramText text;
  text.options = call.options == nullptr ? "" : call.options;
  text.text = text_of(program.handle, program.origin == Program::Origin::module);
  if (are_units(text.text)) throw LeftToDriver("it is no OpenCL C");
  if (Details* details = details_of(program)) {
    const std::lock_guard lock(details->mutex);
    text.constants = details->constants;
  }
  return text;
}

cl_program build_or_throw(Program& program, const BuildCall& call, bool& counts, void** pending,
                          BuildReport& told) {
  if (resolver().store() == nullptr) throw LeftToDriver("there is no store");
  if (is_helper_slow()) throw LeftToDriver("the helper does not end");
  const ProgramText text = program_text(program, call);
  told.found.what = program_label(text.text);
  const auto ids = devices_of(program.handle, call.device_count, call.devices);
  auto details = std::make_unique<Details>();
  details->constants = text.constants;
  std::vector<Request> requests;
  for (const cl_device_id id : ids) {
    const DevicePtr device = device_of(id);
    if (device == nullptr) throw LeftToDriver("a device is a part of another one");
    const Request& request = requests.emplace_back(value_or_throw(program_request(text, *device)));
    details->label = request.label;
    auto one = find(request, device, text.options, told.wanted());
    if (!one.found.binary.empty()) {
      details->devices.push_back(std::move(one));
      continue;
    }
    if (ids.size() > 1) throw LeftToDriver("the store has it for some of its devices");
    *pending = new Pending{request, std::move(one), told};
    return nullptr;
  }
  if (is_tuning()) {
    details->source = requests.front().source;
    details->options = text.options;
  }
  const cl_program made = load(program.context, call.options, ids, details->devices, counts);
  for (std::size_t i = 0; i < requests.size(); ++i)
    note_use(resolver(), requests[i], *details->devices[i].device, details->devices[i].found);
  program.keeps_kernels = details->devices.front().device->pocl;
  replace_details(program, std::move(details));
  return made;
}

}  // namespace

cl_program build(Program& program, const BuildCall& call, bool* counts, void** pending) {
  const StoreUse use;
  BuildReport told;
  cl_program made = nullptr;
  try {
    made = build_or_throw(program, call, *counts, pending, told);
    if (made == nullptr) return nullptr;  // built() will report it
  } catch (const std::exception& error) {
    leave(told, error);
  }
  report(told);
  return made;
}

namespace {

/// Keeps what the driver has made.
void keep(const Program& program, Pending& one) {
  const double seconds = static_cast<double>(now_ns() - one.told.started_ns) * 1e-9;
  const cl::Program handle(program.handle, true);
  const Device& device = *one.one.device;
  note_use(resolver(), one.request, device, one.one.found);
  resolver().keep_built(one.request, one.one.device, std::move(one.one.found),
                        driver_binary(handle, device), driver_log(program.handle, device.handle()),
                        seconds);
}

}  // namespace

void built(Program& program, cl_int status, void* pending) {
  const StoreUse use;
  try {
    const std::unique_ptr<Pending> one(static_cast<Pending*>(pending));
    one->told.outcome = BuildReport::Outcome::left;
    one->told.reason = "it did not compile, or was not waited for";
    if (one->one.was_refused) {
      one->told.reason = did_not_compile;
      // What was in its way then is gone: the next start asks the helper.
      if (status == CL_SUCCESS)
        value_or_throw(keep_refused(*resolver().store(), key_of(one->one.found.canonical), false,
                                    one->request.label));
    } else if (status == CL_SUCCESS) {
      keep(program, *one);
      one->told.outcome = BuildReport::Outcome::kept;
      one->told.reason.clear();
    }
    one->one.found = {};
    report(one->told);
  } catch (...) {
    log_failure_of("what the driver has built");
  }
}

const unsigned char* binary(cl_context, cl_device_id id, const unsigned char* bytes,
                            std::size_t size, std::size_t* better_size, void** details) {
  const StoreUse use;
  BuildReport told;
  try {
    if (resolver().store() == nullptr) return nullptr;
    const DevicePtr device = device_of(id);
    if (device == nullptr || !device->pocl) return nullptr;
    const auto view = ByteView(reinterpret_cast<const std::byte*>(bytes), size);
    if (!poclbin::parse(view)) return nullptr;
    auto known = std::make_unique<Details>();
    known->label = program_names().empty() ? "program" : program_names().back();
    OnDevice one{device, {}, {}, {}, {}};
    one.found = resolver().startable_archive(device, Bytes(view.begin(), view.end()),
                                             known->label + ", its own binary", "", told.wanted());
    if (one.found.program == nullptr) return nullptr;
    known->better = one.found.binary;
    known->devices.push_back(std::move(one));
    told.outcome = BuildReport::Outcome::own_binary;
    if (known->better.size() != size) told.reason = "with more variants";
    report(told);
    *better_size = known->better.size();
    *details = known.get();
    return reinterpret_cast<const unsigned char*>(known.release()->better.data());
  } catch (...) {
    log_failure_of("an application's own binary");
    return nullptr;
  }
}

const unsigned char* own_binary(Program& program, cl_uint number, std::size_t* size) {
  Details* details = details_of(program);
  if (details == nullptr || number >= details->devices.size()) return nullptr;
  OnDevice& one = details->devices[number];
  const StoreUse use;
  try {
    const std::lock_guard lock(details->mutex);
    if (one.as_binary == nullptr && one.device->pocl)
      one.as_binary = resolver()
                          .startable_archive(one.device, one.found.binary,
                                             details->label + ", its own binary", "", nullptr)
                          .program;
  } catch (...) {
    log_failure_of("a program's binary");
  }
  *size = one.found.binary.size();
  return reinterpret_cast<const unsigned char*>(one.found.binary.data());
}

void set_constant(Program& program, cl_uint id, std::size_t size, const void* value) {
  try {
    Details* details = details_of(program);
    if (details == nullptr) {
      auto made = std::make_unique<Details>();
      void* there = nullptr;
      const bool is_first =
          program.details.compare_exchange_strong(there, made.get(), std::memory_order_acq_rel);
      details = is_first ? made.release() : static_cast<Details*>(there);
    }
    const std::lock_guard lock(details->mutex);
    std::erase_if(details->constants, [&](const auto& one) { return one.first == id; });
    details->constants.emplace_back(id, std::string(static_cast<const char*>(value), size));
  } catch (...) {
    log_failure_of("a constant");
  }
}

}  // namespace kiln::layer
