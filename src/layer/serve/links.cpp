#include <unistd.h>

#include <mutex>

#include "base/lifetime.hpp"
#include "kernel/program/link_units.hpp"
#include "layer/program/compile_record.hpp"
#include "layer/program/program_request.hpp"
#include "layer/program/usage.hpp"
#include "layer/serve/start.hpp"

// clCompileProgram and clLinkProgram. What is compiled is remembered as text; where it is on record
// that the driver takes it, nothing is compiled. What is linked of such parts is one program of the
// spine, from the store or the helper.
namespace kiln::layer {
namespace {

/// Details of a program that is compiled: those of an earlier build are let go.
Details& fresh_details(Program& program) {
  auto made = std::make_unique<Details>();
  Details& details = *made;
  replace_details(program, std::move(made));
  return details;
}

DevicePtr only_device(cl_program program, cl_uint count, const cl_device_id* devices) {
  const auto ids = devices_of(program, count, devices);
  if (ids.size() != 1) throw LeftToDriver("it is compiled for several devices");
  DevicePtr device = device_of(ids.front());
  if (device == nullptr) throw LeftToDriver("a device is a part of another one");
  return device;
}

Unit unit_of(const Program& program, const CompileCall& call, const Device& device,
             bool& reads_files) {
  ProgramText text{text_of(program.handle, false), call.options == nullptr ? "" : call.options};
  std::vector<std::pair<std::string, std::string>> headers;
  for (cl_uint i = 0; i < call.header_count; ++i) {
    if (call.names[i] == nullptr) throw LeftToDriver("a header has no name");
    headers.emplace_back(call.names[i], text_of(call.headers[i], false));
  }
  return value_or_throw(program_unit(text, std::move(headers), device, reads_files));
}

/// Whether the driver may link what it takes from a binary: options that make a library are its own
/// affair.
bool is_program(const std::string& options) {
  return options.find("-create-library") == options.npos &&
         options.find("-enable-link-options") == options.npos;
}

bool link_or_throw(const LinkCall& call, Linked& made, void** pending, BuildReport& told) {
  ProgramText text;
  text.options = call.options == nullptr ? "" : call.options;
  std::vector<Unit> units;
  for (cl_uint i = 0; i < call.count; ++i) {
    const Details* details = details_of(*call.parts[i]);
    if (details == nullptr || details->units.size() != 1)
      throw LeftToDriver("what it is linked of is not known");
    units.push_back(details->units.front());
  }
  text.text = text_of_units(units);
  told.found.what = program_label(text.text) + ", linked";
  if (resolver().store() == nullptr) throw LeftToDriver("there is no store");
  if (is_helper_slow()) throw LeftToDriver("the helper does not end");
  if (!is_program(text.options)) throw LeftToDriver("a library is linked");
  const DevicePtr device = only_device(call.parts[0]->handle, call.device_count, call.devices);
  const Request request = value_or_throw(program_request(text, *device));
  auto one = find(request, device, text.options, told.wanted());
  if (one.found.binary.empty()) {
    *pending = new Pending{request, std::move(one), told};
    return false;
  }
  auto details = std::make_unique<Details>();
  details->label = request.label;
  details->units = std::move(units);
  details->options = text.options;
  details->devices.push_back(std::move(one));
  const std::vector<cl_device_id> ids{device->handle()};
  made.served = load(call.context, call.options, ids, details->devices, made.counts);
  try {
    made.handle = create_from(call.context, ids, details->devices);
  } catch (...) {
    (void)::clReleaseProgram(made.served);
    throw;
  }
  made.keeps_kernels = device->pocl;
  note_use(resolver(), request, *device, details->devices.front().found);
  made.details = details.release();
  return true;
}

/// One for all programs: a deferred part is seldom compiled after all.
std::mutex& deferred_mutex() {
  static NeverDestroyed<std::mutex> mutex;
  return *mutex;
}

}  // namespace

bool compile(Program& program, const CompileCall& call) {
  const StoreUse use;
  try {
    Details& details = fresh_details(program);
    if (resolver().store() == nullptr) return false;
    const DevicePtr device = only_device(program.handle, call.device_count, call.devices);
    details.unit_options = call.options == nullptr ? "" : call.options;
    bool reads_files = false;
    details.units = {unit_of(program, call, *device, reads_files)};
    auto log = compiled_log(*resolver().store(), details.units.front(), *device);
    // What the driver would read later might be another text.
    if (!log || reads_files) return false;
    details.unit_log = *std::move(log);
    return true;
  } catch (const Error&) {
    return false;  // the driver's own
  } catch (...) {
    log_failure_of("a program's compile");
    return false;
  }
}

void compiled(Program& program, cl_int status) {
  const StoreUse use;
  try {
    Details* details = details_of(program);
    if (details == nullptr || details->units.empty()) return;
    if (status != CL_SUCCESS) return details->units.clear();
    const DevicePtr device = only_device(program.handle, 0, nullptr);
    if (const auto log = log_of_compiled(program.handle, device->handle()))
      value_or_throw(keep_compiled(*resolver().store(), details->units.front(), *device, *log));
  } catch (...) {
    log_failure_of("a program's compile");
  }
}

void compile_now(Program& program) {
  try {
    // In a child of fork() another thread of the parent may hold it.
    std::unique_lock lock(deferred_mutex(), std::defer_lock);
    if (own_process == ::getpid()) lock.lock();
    if (!program.is_deferred.load(std::memory_order_acquire)) return;
    if (const Details* details = details_of(program);
        details != nullptr && !details->units.empty()) {
      Unit unit = details->units.front();
      unit.options = details->unit_options;
      // The application hears of it by the build's status: that it compiles is on record.
      (void)compile_unit(program.context, program.handle, unit);
      program.is_deferred.store(false, std::memory_order_release);
    }
  } catch (...) {
    log_failure_of("a program's compile");
  }
}

const char* compile_log(Program& program, cl_device_id device) {
  try {
    const Details* details = details_of(program);
    const auto ids = list_of<cl_device_id>(program.handle, CL_PROGRAM_DEVICES);
    return details == nullptr || ids.size() != 1 || ids.front() != device
               ? nullptr
               : details->unit_log.c_str();
  } catch (...) {
    return nullptr;
  }
}

bool link(const LinkCall& call, Linked* made, void** pending) {
  const StoreUse use;
  BuildReport told;
  bool is_linked = false;
  try {
    is_linked = link_or_throw(call, *made, pending, told);
    if (!is_linked) return false;  // built() will report it
  } catch (const std::exception& error) {
    leave(told, error);
  }
  report(told);
  return is_linked;
}

cl_program link_now(Program& program, bool* counts) {
  try {
    const Details* details = details_of(program);
    if (details == nullptr) return nullptr;
    cl_int status = CL_SUCCESS;
    *counts = false;
    const auto ids = list_of<cl_device_id>(program.handle, CL_PROGRAM_DEVICES);
    const ContextCount count(program.context, *details->devices.front().device);
    const cl_program made =
        link_units(program.context, ids, details->units, details->options, {}, status, nullptr);
    *counts = made != nullptr && count.has_grown();
    return made;
  } catch (...) {
    log_failure_of("a program's link");
    return nullptr;
  }
}

}  // namespace kiln::layer
