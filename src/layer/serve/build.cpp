#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <set>

#include "base/clock.hpp"
#include "base/lifetime.hpp"
#include "layer/program/build_options.hpp"
#include "layer/program/program_request.hpp"
#include "layer/program/usage.hpp"
#include "layer/serve/details.hpp"
#include "layer/serve/report.hpp"

// clBuildProgram of a served program: what the store has of it, or the helper makes, becomes a
// program of the driver that stands behind the application's handle.
namespace kiln::layer {
namespace {

template <class T>
std::vector<T> list_of(cl_program program, cl_program_info what) {
  std::size_t bytes = 0;
  check_cl(::clGetProgramInfo(program, what, 0, nullptr, &bytes), "clGetProgramInfo");
  std::vector<T> values(bytes / sizeof(T));
  check_cl(::clGetProgramInfo(program, what, values.size() * sizeof(T), values.data(), nullptr),
           "clGetProgramInfo");
  return values;
}

/// Why a program is left to the driver.
class LeftToDriver : public Error {
 public:
  explicit LeftToDriver(const std::string& why) : Error(Errc::unsupported, why) {}
};

/// The devices that are built for; all of the program's, since it has one answer for each.
std::vector<cl_device_id> devices_of(const Program& program, const BuildCall& call) {
  auto all = list_of<cl_device_id>(program.handle, CL_PROGRAM_DEVICES);
  if (call.device_count == 0) return all;
  std::vector<cl_device_id> asked(call.devices, call.devices + call.device_count);
  const std::set<cl_device_id> first(all.begin(), all.end()), second(asked.begin(), asked.end());
  if (first != second || second.size() != asked.size())
    throw LeftToDriver("it is built for some of its devices");
  return asked;
}

ProgramText text_of(const Program& program, const BuildCall& call) {
  ProgramText text;
  text.options = call.options == nullptr ? "" : call.options;
  const bool is_module = program.origin == Program::Origin::module;
  const auto bytes = list_of<char>(program.handle, is_module ? CL_PROGRAM_IL : CL_PROGRAM_SOURCE);
  text.text.assign(bytes.begin(), bytes.end());
  if (!is_module && !text.text.empty() && text.text.back() == '\0') text.text.pop_back();
  if (text.text.empty()) throw LeftToDriver("it has no text");
  if (const Details* details = details_of(program)) text.constants = details->constants;
  return text;
}

/// The helper does not end: the driver does all that this process still needs.
std::atomic<bool> is_helper_slow{false};

/// Texts that a driver's compiler has refused in this process: asked again, it is asked at once.
class Refused {
 public:
  bool has(const Key& key) {
    const std::lock_guard lock(mutex_);
    return keys_.contains(key.hex());
  }
  void add(const Key& key) {
    const std::lock_guard lock(mutex_);
    keys_.insert(key.hex());
  }

 private:
  std::mutex mutex_;
  std::set<std::string> keys_;
};
Refused& refused() {
  static NeverDestroyed<Refused> all;
  return *all;
}

/// A stored log names headers as the text does; a driver says in which folder it found them.
std::string log_with_folders(std::string_view log, const BuildOptions& options) {
  std::string text;
  while (!log.empty()) {
    std::string_view line = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(log.size(), line.size() + 1));
    for (const std::string_view kind : {"warning: ", "note: ", "error: "}) {
      if (!line.starts_with(kind)) continue;
      const std::string name(line.substr(kind.size(), line.find(':', kind.size()) - kind.size()));
      for (const auto& folder : options.include_folders) {
        std::error_code error;
        if (!std::filesystem::is_regular_file(folder / name, error)) continue;
        text += std::string(kind) + (folder / name).string();
        line.remove_prefix(kind.size() + name.size());
        break;
      }
      break;
    }
    text += std::string(line) + '\n';
  }
  return text;
}

OnDevice find(const Request& request, const DevicePtr& device, const std::string& options,
              Explanation* explanation) {
  const Key key = key_of(canonical_request(request, {}, *device));
  if (refused().has(key)) throw LeftToDriver("it did not compile before");
  OnDevice one{device, {}, {}, {}, {}};
  const std::int64_t started_ns = now_ns();
  try {
    one.found = resolver().startable(request, device, {}, explanation);
  } catch (const Error& error) {
    if (error.code() == Errc::build) refused().add(key);
    throw;
  }
  if (one.found.binary.empty() && device->pocl) {
    // A helper that hangs would cost each program this wait.
    constexpr std::int64_t long_wait_ns = 60'000'000'000;
    if (now_ns() - started_ns > long_wait_ns) is_helper_slow = true;
    throw LeftToDriver("no helper has made it");
  }
  // PoCL's log ends with a line feed, which the store leaves out.
  one.build_log = device->pocl ? log_with_folders(one.found.build_log, parse_build_options(options))
                               : one.found.build_log;
  if (const auto archive = poclbin::parse(one.found.binary); device->pocl && archive)
    for (const auto& kernel : archive->kernels)
      one.attributes.emplace(kernel.name, kernel.attributes);
  return one;
}

cl_uint references_of(cl_context context) {
  cl_uint count = 0;
  (void)::clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, nullptr);
  return count;
}

/// A program of the driver, built from what was found for each device. Throws where it is refused.
cl_program load(const Program& program, const BuildCall& call, const std::vector<cl_device_id>& ids,
                const std::vector<OnDevice>& found, bool& counts) {
  std::vector<const unsigned char*> binaries;
  std::vector<std::size_t> sizes;
  for (const auto& one : found) {
    binaries.push_back(reinterpret_cast<const unsigned char*>(one.found.binary.data()));
    sizes.push_back(one.found.binary.size());
  }
  cl_int status = CL_SUCCESS;
  const cl_uint before = references_of(program.context);
  const cl_program made =
      ::clCreateProgramWithBinary(program.context, static_cast<cl_uint>(ids.size()), ids.data(),
                                  sizes.data(), binaries.data(), nullptr, &status);
  if (made == nullptr || status != CL_SUCCESS) throw cl_error("clCreateProgramWithBinary", status);
  // Other threads may have changed the count meanwhile: drivers that do not count are the
  // exception.
  counts = references_of(program.context) != before;
  status = ::clBuildProgram(made, static_cast<cl_uint>(ids.size()), ids.data(), call.options,
                            nullptr, nullptr);
  if (status == CL_SUCCESS) return made;
  ::clReleaseProgram(made);
  throw cl_error("clBuildProgram", status);
}

/// A program that the driver is to build, to be kept then.
struct Pending {
  Request request;
  OnDevice one;
  BuildReport told;
};

cl_program build_or_throw(Program& program, const BuildCall& call, bool& counts, void** pending,
                          BuildReport& told) {
  if (resolver().store() == nullptr) throw LeftToDriver("there is no store");
  if (is_helper_slow) throw LeftToDriver("the helper does not end");
  const ProgramText text = text_of(program, call);
  told.found.what = program_label(text.text);
  const auto ids = devices_of(program, call);
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
  const cl_program made = load(program, call, ids, details->devices, counts);
  for (std::size_t i = 0; i < requests.size(); ++i)
    note_use(resolver(), requests[i], *details->devices[i].device, details->devices[i].found);
  program.keeps_kernels = details->devices.front().device->pocl;
  forget(details_of(program));
  program.details.store(details.release(), std::memory_order_release);
  return made;
}

}  // namespace

cl_program build(Program& program, const BuildCall& call, bool* counts, void** pending) {
  BuildReport told;
  cl_program made = nullptr;
  try {
    made = build_or_throw(program, call, *counts, pending, told);
    if (made == nullptr) return nullptr;  // built() will report it
  } catch (const std::exception& error) {
    told.outcome = BuildReport::Outcome::left;
    told.reason = error.what();
  }
  try {
    resolver().finish();
    report(told);
  } catch (...) {
    log_failure_of("a program's build");
  }
  return made;
}

namespace {

std::string log_of(cl_program program, cl_device_id device) {
  std::size_t bytes = 0;
  if (::clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes) !=
      CL_SUCCESS)
    return {};
  std::string log(bytes, '\0');
  (void)::clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, log.data(), nullptr);
  log.resize(std::min(log.find('\0'), log.size()));
  return log;
}

/// Keeps what the driver has made.
void keep(const Program& program, Pending& one) {
  const double seconds = static_cast<double>(now_ns() - one.told.started_ns) * 1e-9;
  const cl::Program handle(program.handle, true);
  const Device& device = *one.one.device;
  note_use(resolver(), one.request, device, one.one.found);
  resolver().keep_built(one.request, one.one.device, std::move(one.one.found),
                        driver_binary(handle, device), log_of(program.handle, device.handle()),
                        seconds);
}

}  // namespace

void built(Program& program, cl_int status, void* pending) {
  try {
    const std::unique_ptr<Pending> one(static_cast<Pending*>(pending));
    one->told.outcome = BuildReport::Outcome::left;
    one->told.reason = "it did not compile, or was not waited for";
    if (status == CL_SUCCESS) {
      keep(program, *one);
      one->told.outcome = BuildReport::Outcome::kept;
      one->told.reason.clear();
    }
    one->one.found = {};
    resolver().finish();
    report(one->told);
  } catch (...) {
    log_failure_of("what the driver has built");
  }
}

const unsigned char* binary(cl_context, cl_device_id id, const unsigned char* bytes,
                            std::size_t size, std::size_t* better_size, void** details) {
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
      details = new Details;
      program.details.store(details, std::memory_order_release);
    }
    std::erase_if(details->constants, [&](const auto& one) { return one.first == id; });
    details->constants.emplace_back(id, std::string(static_cast<const char*>(value), size));
  } catch (...) {
    log_failure_of("a constant");
  }
}

}  // namespace kiln::layer
