#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernel/facts/operations.hpp"
#include "kernel/traits/device_roofs.hpp"

/// What a program's processes did on their devices, as the OpenCL layer wrote it down
/// (docs/formats/profile.md), and what `kiln exec --profile` makes of it.
///
/// `kiln exec` sets KILN_LAYER_PROFILE to an empty folder (and KILN_LAYER_TRACE=1 where spans are
/// wanted), runs the program, and then calls read_profile(), count_operations_of(), measure_roofs()
/// and the write_…() functions that its options ask for.
namespace kiln::cli::profile {

struct ProfiledDevice {
  std::string name, vendor, version, driver_version, platform, platform_version, type;
  std::uint64_t compute_units = 0, clock_mhz = 0;
  bool is_part = false;              ///< of another device
  std::optional<DeviceRoofs> roofs;  ///< by measure_roofs()
  bool operator==(const ProfiledDevice& other) const {
    return name == other.name && driver_version == other.driver_version &&
           platform_version == other.platform_version && compute_units == other.compute_units;
  }
};

struct ProfiledProgram {
  std::string identity, options;
  bool has_text = false;
  std::uint64_t builds = 0, build_ns = 0;
};

/// Times of commands of one kind, in ns. Of several processes the median is that of the process
/// which has the middle one of all commands: each kept its own.
struct CommandTimes {
  std::uint64_t calls = 0, timed = 0, failed = 0;
  std::uint64_t total_ns = 0, median_ns = 0, min_ns = 0, max_ns = 0;
  std::uint64_t bytes = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> medians;  ///< of a process, and its timed
};

struct LaunchForm {
  std::uint64_t calls = 0;
  std::vector<std::uint64_t> global, local, offset;  ///< local: empty where the driver chose
  bool is_same(const LaunchForm& other) const {
    return global == other.global && local == other.local && offset == other.offset;
  }
};

struct ProfiledKernel {
  std::string name;
  std::size_t program = 0, device = 0;  ///< in Profile's lists
  CommandTimes times;                   ///< bytes: those that were bound, of all timed launches
  std::uint64_t work_items = 0;         ///< of all timed launches
  std::vector<LaunchForm> forms;        ///< the most frequent first
  std::uint64_t other_launches = 0;
  OperationCount operations;  ///< by count_operations_of()

  double seconds() const { return static_cast<double>(times.total_ns) * 1e-9; }
  /// Bytes bound a second: more than the kernel moves where it does not use all that it is given.
  double bytes_per_second() const;
  /// 0 where operations were not counted.
  double flops() const;
};

struct ProfiledTransfer {
  std::string kind;
  std::size_t device = 0;
  CommandTimes times;
};

struct HostCalls {
  std::uint64_t calls = 0, ns = 0;
};

/// A queue of a process, and how far its device's clock is ahead of the host's.
struct ProfiledQueue {
  std::size_t device = 0;
  std::int64_t clock_distance_ns = 0;
};

struct ProfiledProcess {
  std::filesystem::path file;
  std::uint64_t pid = 0, wall_ns = 0;
  std::vector<std::string> command;
  bool has_ended = false;             ///< in good order: else what its last moments did is missing
  std::vector<ProfiledQueue> queues;  ///< with spans only
  std::vector<std::size_t> kernels;   ///< its kernels' places in Profile's list
  std::uint64_t spans_left_out = 0;
};

struct Profile {
  std::filesystem::path folder;
  std::vector<ProfiledProcess> processes;
  std::vector<ProfiledDevice> devices;
  std::vector<ProfiledProgram> programs;
  std::vector<ProfiledKernel> kernels;  ///< what took longest first
  std::vector<ProfiledTransfer> transfers;
  std::map<std::string, HostCalls> builds, waits;
  std::uint64_t failed_builds = 0;
  std::vector<std::string> notes;  ///< what the reader should know

  std::uint64_t kernel_ns() const;
};

/// Reads all files of a folder. Kernels of one program, options and device are one, whichever
/// process launched them. Throws Error (bad_input: FILE and what is wrong with it, in one line).
/// None: nothing of OpenCL was used.
Profile read_profile(const std::filesystem::path& folder);

/// Counts the operations of all kernels whose text is known; what cannot be counted has its reason.
/// Takes the time to read the texts. Throws nothing.
void count_operations_of(Profile& profile);

/// The roofs of all devices that this process finds, too. The first call on a machine takes some
/// ten seconds a device. Throws nothing; what fails becomes a note.
void measure_roofs(Profile& profile, DriverFindings& findings);

// The files. Each is written aside and renamed, and throws kiln::Error where that fails.

/// A page for a browser that needs no script and nothing from anywhere.
void write_profile_page(const Profile& profile, const std::filesystem::path& file);
/// All that the page has, as one JSON object.
void write_profile_json(const Profile& profile, const std::filesystem::path& file);
/// Spans for Perfetto (cli/timeline): a lane for each queue of each process, and the host's.
void write_profile_trace(const Profile& profile, const std::string& file);

}  // namespace kiln::cli::profile
