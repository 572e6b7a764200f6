#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/data/text.hpp"
#include "base/os/file.hpp"
#include "cli/command/command.hpp"
#include "cli/profile/profile.hpp"

// Profiles as processes wrote them: each value is checked, since a folder may hold anything.
namespace kiln::cli::profile {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uint64_t largest_file = 1 << 28;
constexpr std::size_t most_entries = 1 << 20;

/// One file. What it throws does not name the file.
class Reader {
 public:
  Reader(const Json& file, Profile& into) : file_(file), profile_(into) {}

  ProfiledProcess read() {
    if (!file_.is_object() || !file_.contains("format") || file_["format"] != "kiln profile")
      throw bad_input("not a profile of Kiln");
    if (number(file_, "version") != 1)
      throw bad_input("version {} of the format is not known", number(file_, "version"));
    read_devices();
    read_programs();
    ProfiledProcess process = read_process();
    read_kernels(process);
    read_transfers();
    add_calls(member(file_, "builds"), {"build", "compile", "link", "binaries"}, profile_.builds);
    add_calls(member(file_, "waits"), {"finish", "wait_for_events", "blocking_transfer"},
              profile_.waits);
    profile_.failed_builds += number(member(file_, "builds"), "failed");
    if (file_.contains("trace")) read_trace(process);
    return process;
  }

 private:
  static const Json& member(const Json& object, const char* name) {
    if (!object.is_object() || !object.contains(name)) throw bad_input("'{}' is missing", name);
    return object[name];
  }
  static std::uint64_t value(const Json& json, const char* name) {
    if (!json.is_number_unsigned()) throw bad_input("'{}' is not a count", name);
    return json.get<std::uint64_t>();
  }
  static std::uint64_t number(const Json& object, const char* name) {
    return value(member(object, name), name);
  }
  static std::string text(const Json& object, const char* name) {
    const Json& found = member(object, name);
    if (!found.is_string()) throw bad_input("'{}' is not a text", name);
    return found.get<std::string>();
  }
  static bool truth(const Json& object, const char* name) {
    const Json& found = member(object, name);
    if (!found.is_boolean()) throw bad_input("'{}' is neither true nor false", name);
    return found.get<bool>();
  }
  static const Json& list(const Json& object, const char* name) {
    const Json& found = member(object, name);
    if (!found.is_array() || found.size() > most_entries)
      throw bad_input("'{}' is not a list", name);
    return found;
  }
  /// A place in a list of the file, as the place in the profile's.
  static std::size_t place(const Json& object, const char* name,
                           const std::vector<std::size_t>& places) {
    const std::uint64_t at = number(object, name);
    if (at >= places.size()) throw bad_input("'{}' is {}, of {}", name, at, places.size());
    return places[at];
  }

  ProfiledProcess read_process() {
    const Json& from = member(file_, "process");
    ProfiledProcess process;
    process.pid = number(from, "pid");
    process.wall_ns = number(from, "wall_ns");
    process.has_ended = truth(from, "ended");
    for (const Json& word : list(from, "command"))
      process.command.push_back(word.is_string() ? word.get<std::string>() : "");
    return process;
  }

  void read_devices() {
    for (const Json& from : list(file_, "devices")) {
      ProfiledDevice device{.name = text(from, "name"),
                            .vendor = text(from, "vendor"),
                            .version = text(from, "version"),
                            .driver_version = text(from, "driver_version"),
                            .platform = text(from, "platform"),
                            .platform_version = text(from, "platform_version"),
                            .type = text(from, "type"),
                            .compute_units = number(from, "compute_units"),
                            .clock_mhz = number(from, "clock_mhz"),
                            .is_part = truth(from, "is_part"),
                            .roofs = {}};
      auto& all = profile_.devices;
      const auto known = std::find(all.begin(), all.end(), device);
      devices_.push_back(static_cast<std::size_t>(known - all.begin()));
      if (known == all.end()) all.push_back(std::move(device));
    }
  }

  void read_programs() {
    for (const Json& from : list(file_, "programs")) {
      ProfiledProgram program{text(from, "identity"), text(from, "options"),
                              truth(from, "has_text"), number(from, "builds"),
                              number(from, "build_ns")};
      // It names a file.
      if (program.identity.empty() ||
          program.identity.find_first_not_of("0123456789abcdef") != std::string::npos)
        throw bad_input("'identity' is not a digest");
      auto& all = profile_.programs;
      const auto known = std::ranges::find(all, program.identity, &ProfiledProgram::identity);
      programs_.push_back(static_cast<std::size_t>(known - all.begin()));
      if (known == all.end()) {
        all.push_back(std::move(program));
      } else {
        known->builds += program.builds;
        known->build_ns += program.build_ns;
      }
    }
  }

  static CommandTimes times(const Json& from) {
    CommandTimes made{.calls = number(from, "calls"),
                      .timed = number(from, "timed"),
                      .failed = number(from, "failed"),
                      .total_ns = number(from, "total_ns"),
                      .median_ns = number(from, "median_ns"),
                      .min_ns = number(from, "min_ns"),
                      .max_ns = number(from, "max_ns"),
                      .bytes = number(from, "bytes"),
                      .medians = {}};
    made.medians = {{made.median_ns, made.timed}};
    return made;
  }

  static void add(const CommandTimes& from, CommandTimes& to) {
    to.min_ns = to.timed == 0     ? from.min_ns
                : from.timed == 0 ? to.min_ns
                                  : std::min(to.min_ns, from.min_ns);
    to.max_ns = std::max(to.max_ns, from.max_ns);
    to.calls += from.calls;
    to.timed += from.timed;
    to.failed += from.failed;
    to.total_ns += from.total_ns;
    to.bytes += from.bytes;
    to.medians.insert(to.medians.end(), from.medians.begin(), from.medians.end());
    std::ranges::sort(to.medians);
    std::uint64_t below = 0;
    for (const auto& [median, timed] : to.medians) {
      if (timed == 0) continue;
      to.median_ns = median;
      if ((below += timed) * 2 >= to.timed) break;
    }
  }

  static std::vector<std::uint64_t> sizes(const Json& from, const char* name) {
    std::vector<std::uint64_t> made;
    if (member(from, name).is_null()) return made;
    for (const Json& size : list(from, name)) made.push_back(value(size, name));
    if (made.empty() || made.size() > 3) throw bad_input("'{}' has {} sizes", name, made.size());
    return made;
  }

  void read_kernels(ProfiledProcess& process) {
    for (const Json& from : list(file_, "kernels")) {
      ProfiledKernel kernel;
      kernel.name = text(from, "name");
      kernel.program = place(from, "program", programs_);
      kernel.device = place(from, "device", devices_);
      kernel.times = times(from);
      kernel.work_items = number(from, "work_items");
      kernel.other_launches = number(from, "other_launches");
      for (const Json& form : list(from, "launches"))
        kernel.forms.push_back({number(form, "calls"), sizes(form, "global"), sizes(form, "local"),
                                sizes(form, "offset")});
      process.kernels.push_back(add(std::move(kernel)));
    }
  }

  std::size_t add(ProfiledKernel kernel) {
    auto& all = profile_.kernels;
    const auto known = std::ranges::find_if(all, [&](const ProfiledKernel& other) {
      return other.name == kernel.name && other.program == kernel.program &&
             other.device == kernel.device;
    });
    const auto place = static_cast<std::size_t>(known - all.begin());
    if (known == all.end()) {
      all.push_back(std::move(kernel));
      return place;
    }
    add(kernel.times, known->times);
    known->work_items += kernel.work_items;
    known->other_launches += kernel.other_launches;
    for (const LaunchForm& form : kernel.forms) {
      const auto same = std::ranges::find_if(
          known->forms, [&](const LaunchForm& other) { return other.is_same(form); });
      if (same == known->forms.end())
        known->forms.push_back(form);
      else
        same->calls += form.calls;
    }
    return place;
  }

  void read_transfers() {
    for (const Json& from : list(file_, "transfers")) {
      ProfiledTransfer transfer{text(from, "kind"), place(from, "device", devices_), times(from)};
      auto& all = profile_.transfers;
      const auto known = std::ranges::find_if(all, [&](const ProfiledTransfer& other) {
        return other.kind == transfer.kind && other.device == transfer.device;
      });
      if (known == all.end())
        all.push_back(std::move(transfer));
      else
        add(transfer.times, known->times);
    }
  }

  static void add_calls(const Json& from, std::initializer_list<const char*> names,
                        std::map<std::string, HostCalls>& to) {
    for (const char* name : names) {
      const Json& one = member(from, name);
      to[name].calls += number(one, "calls");
      to[name].ns += number(one, "ns");
    }
  }

  void read_trace(ProfiledProcess& process) {
    const Json& trace = member(file_, "trace");
    process.spans_left_out = number(trace, "left_out");
    for (const Json& from : list(trace, "queues")) {
      const Json& distance = member(from, "clock_distance_ns");
      if (!distance.is_number_integer()) throw bad_input("'clock_distance_ns' is not an integer");
      process.queues.push_back({place(from, "device", devices_), distance.get<std::int64_t>()});
    }
  }

  const Json& file_;
  Profile& profile_;
  std::vector<std::size_t> devices_, programs_;  ///< places in the profile's lists
};

/// Adds what a process wrote. An empty file is one of a process that was killed at its start.
void add_file(const fs::path& file, Profile& profile) {
  const std::string text = value_or_throw(read_text(file, largest_file));
  if (text.empty()) {
    profile.notes.push_back(fmt::format("{} is empty: its process ended before it wrote anything.",
                                        file.filename().string()));
    return;
  }
  try {
    value_or_throw(check_json_bounds(text));
    ProfiledProcess process = Reader(Json::parse(text), profile).read();
    process.file = file;
    profile.processes.push_back(std::move(process));
  } catch (const Json::exception& error) {
    throw bad_input("{}: {}", file.string(), one_line(error.what()));
  } catch (const Error& error) {
    throw bad_input("{}: {}", file.string(), one_line(error.message()));
  }
}

/// Longest first, and the processes' places with them.
void sort_kernels(Profile& profile) {
  std::vector<std::size_t> order(profile.kernels.size()), places(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return profile.kernels[a].times.total_ns > profile.kernels[b].times.total_ns;
  });
  std::vector<ProfiledKernel> sorted;
  for (const std::size_t at : order) {
    places[at] = sorted.size();
    sorted.push_back(std::move(profile.kernels[at]));
  }
  profile.kernels = std::move(sorted);
  for (auto& process : profile.processes)
    for (std::size_t& at : process.kernels) at = places[at];
  for (auto& kernel : profile.kernels)
    std::ranges::stable_sort(kernel.forms, std::ranges::greater(), &LaunchForm::calls);
}

}  // namespace

double ProfiledKernel::bytes_per_second() const {
  return times.total_ns == 0 ? 0 : static_cast<double>(times.bytes) / seconds();
}

double ProfiledKernel::flops() const {
  if (times.total_ns == 0 || !operations.reason.empty()) return 0;
  return operations.per_work_item * static_cast<double>(work_items) / seconds();
}

std::uint64_t Profile::kernel_ns() const {
  std::uint64_t sum = 0;
  for (const auto& kernel : kernels) sum += kernel.times.total_ns;
  return sum;
}

Profile read_profile(const fs::path& folder) {
  Profile profile;
  profile.folder = folder;
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (at->path().extension() == ".json") files.push_back(at->path());
  if (error) throw io_error("cannot read", folder, error.value());
  std::ranges::sort(files);
  for (const auto& file : files) add_file(file, profile);
  sort_kernels(profile);
  for (const auto& process : profile.processes)
    if (!process.has_ended)
      profile.notes.push_back(fmt::format(
          "Process {} did not end in good order: what it did in its last moments is missing.",
          process.pid));
  return profile;
}

}  // namespace kiln::cli::profile
