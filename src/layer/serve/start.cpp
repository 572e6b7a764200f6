#include "layer/serve/start.hpp"

#include <cctype>
#include <filesystem>
#include <optional>
#include <set>

#include "base/clock.hpp"
#include "base/lifetime.hpp"
#include "layer/program/build_options.hpp"
#include "layer/program/compile_record.hpp"

// What the store has of a program, or the helper makes, and the driver's program of it.
namespace kiln::layer {
namespace {

/// The helper does not end: the driver does all that this process still needs.
std::atomic<bool> is_slow{false};

/// It is on record that the driver refuses the program that is asked for.
struct Refusal {};

/// Why nothing can be kept in this process; empty: it can.
const std::string& why_nothing_is_kept() {
  static NeverDestroyed<std::string> why([] {
    const auto writable = resolver().store()->check_writable();
    return writable ? std::string() : writable.error().message();
  }());
  return *why;
}

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

/// Where a line of a driver's log names a file; nothing where it names none.
std::optional<std::size_t> place_of_file(std::string_view line) {
  for (const std::string_view before : {"In file included from ", "warning: ", "note: ", "error: "})
    if (line.starts_with(before)) return before.size();
  if (const std::size_t colon = line.find(':');
      colon != line.npos && colon + 1 < line.size() &&
      std::isdigit(static_cast<unsigned char>(line[colon + 1])) != 0)
    return 0;
  return std::nullopt;
}

/// A stored log names headers as the text does; a driver says in which folder it found them.
std::string log_with_folders(std::string_view log, const BuildOptions& options) {
  std::string text;
  while (!log.empty()) {
    const std::size_t feed = log.find('\n');
    std::string_view line = log.substr(0, feed == log.npos ? feed : feed + 1);
    log.remove_prefix(line.size());
    if (const auto at = place_of_file(line)) {
      const std::string name(line.substr(*at, line.find(':', *at) - *at));
      for (const auto& folder : options.include_folders) {
        std::error_code error;
        if (name.empty() || !std::filesystem::is_regular_file(folder / name, error)) continue;
        text += std::string(line.substr(0, *at)) + (folder / name).string();
        line.remove_prefix(*at + name.size());
        break;
      }
    }
    text += line;
  }
  return text;
}

}  // namespace

std::vector<cl_device_id> devices_of(cl_program program, cl_uint count,
                                     const cl_device_id* devices) {
  auto all = list_of<cl_device_id>(program, CL_PROGRAM_DEVICES);
  if (count == 0) return all;
  std::vector<cl_device_id> asked(devices, devices + count);
  const std::set<cl_device_id> first(all.begin(), all.end()), second(asked.begin(), asked.end());
  if (first != second || second.size() != asked.size())
    throw LeftToDriver("it is built for some of its devices");
  // Drivers differ in which order they answer in then.
  if (all != asked) throw LeftToDriver("its devices are named in another order");
  return all;
}

std::string text_of(cl_program program, bool is_module) {
  const auto bytes = list_of<char>(program, is_module ? CL_PROGRAM_IL : CL_PROGRAM_SOURCE);
  std::string text(bytes.begin(), bytes.end());
  if (!is_module && !text.empty() && text.back() == '\0') text.pop_back();
  if (text.empty()) throw LeftToDriver("it has no text");
  return text;
}

OnDevice find(const Request& request, const DevicePtr& device, const std::string& options,
              Explanation* explanation) {
  const Bytes canonical = canonical_request(request, {}, *device);
  const Key key = key_of(canonical);
  if (refused().has(key)) throw LeftToDriver(did_not_compile);
  OnDevice one{device, {}, {}, {}, {}};
  const std::int64_t started_ns = now_ns();
  try {
    one.found = resolver().startable(request, device, {}, explanation, [](const Key& missing) {
      // The helper's work would be lost, and the next start pay for it again.
      if (!keeps_entries()) throw LeftToDriver("nothing can be kept: " + why_nothing_is_kept());
      if (is_refused(*resolver().store(), missing)) throw Refusal();
    });
  } catch (const Refusal&) {
    one.was_refused = true;
    one.found.canonical = canonical;
    return one;
  } catch (const Error& error) {
    if (error.code() != Errc::build) throw;
    refused().add(key);
    // Where that cannot be kept, the next start tries again.
    (void)keep_refused(*resolver().store(), key, true, request.label);
    throw;
  }
  if (one.found.binary.empty() && device->pocl) {
    // A helper that hangs would cost each program this wait.
    constexpr std::int64_t long_wait_ns = 60'000'000'000;
    if (now_ns() - started_ns > long_wait_ns) is_slow = true;
    throw LeftToDriver("no helper has made it");
  }
  one.build_log = log_with_folders(one.found.build_log, parse_build_options(options));
  // PoCL's log ends with a line feed, which the store leaves out.
  if (device->pocl && !one.build_log.empty()) one.build_log += '\n';
  if (const auto archive = poclbin::parse(one.found.binary); device->pocl && archive)
    for (const auto& kernel : archive->kernels)
      one.attributes.emplace(kernel.name, kernel.attributes);
  return one;
}

ContextCount::ContextCount(cl_context context, const Device& device)
    : context_(context), is_pocl_(device.pocl), before_(is_pocl_ ? 0 : references()) {}

bool ContextCount::has_grown() const { return is_pocl_ || references() != before_; }

cl_uint ContextCount::references() const {
  cl_uint count = 0;
  (void)::clGetContextInfo(context_, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, nullptr);
  return count;
}

cl_program create_from(cl_context context, const std::vector<cl_device_id>& ids,
                       const std::vector<OnDevice>& found) {
  std::vector<const unsigned char*> binaries;
  std::vector<std::size_t> sizes;
  for (const auto& one : found) {
    binaries.push_back(reinterpret_cast<const unsigned char*>(one.found.binary.data()));
    sizes.push_back(one.found.binary.size());
  }
  cl_int status = CL_SUCCESS;
  const cl_program made =
      ::clCreateProgramWithBinary(context, static_cast<cl_uint>(ids.size()), ids.data(),
                                  sizes.data(), binaries.data(), nullptr, &status);
  if (made == nullptr || status != CL_SUCCESS) throw cl_error("clCreateProgramWithBinary", status);
  return made;
}

cl_program load(cl_context context, const char* options, const std::vector<cl_device_id>& ids,
                const std::vector<OnDevice>& found, bool& counts) {
  const ContextCount count(context, *found.front().device);
  const cl_program made = create_from(context, ids, found);
  counts = count.has_grown();
  const cl_int status = ::clBuildProgram(made, static_cast<cl_uint>(ids.size()), ids.data(),
                                         options, nullptr, nullptr);
  if (status == CL_SUCCESS) return made;
  ::clReleaseProgram(made);
  throw cl_error("clBuildProgram", status);
}

void leave(BuildReport& told, const std::exception& why) noexcept {
  told.outcome = BuildReport::Outcome::left;
  try {
    told.reason = why.what();
  } catch (...) {
    told.reason.clear();  // there is no memory for it
  }
}

bool is_helper_slow() { return is_slow; }

bool keeps_entries() { return why_nothing_is_kept().empty(); }

}  // namespace kiln::layer
