#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "layer/serve/details.hpp"
#include "layer/tune/local_sizes.hpp"
#include "layer/tune/race.hpp"

// Local sizes of launches that have none. They are tried over the program's own launches, judged by
// the device's time, and kept on record. Nothing here waits for a launch.
namespace kiln::layer {

/// One kernel's launches of one size class on a device: what is known of their local size.
struct Problem {
  enum class State : std::uint8_t {
    waiting,  ///< it is not launched often enough yet
    racing,
    found,
    drivers_own  ///< nothing is better, or nothing can be told
  };

  std::mutex mutex;
  State state = State::waiting;
  std::string program, kernel, sizes;
  unsigned dimensions = 1;
  DevicePtr device;
  Request request;  ///< of the record
  LocalBounds bounds;
  std::vector<LocalSize> candidates;
  std::optional<Race> race;
  LocalSize local{1, 1, 1};
  std::size_t launches = 0;
};

/// The driver's own choice, as a record has it.
inline constexpr LocalSize drivers_own{0, 0, 0};

/// What is known of a kernel's launches; null where nothing may be chosen for them. It stays for as
/// long as the process. Throws kiln::Error.
Problem* problem_of(Kernel& kernel, const FreeLaunch& launch, cl_device_id device);

/// Puts a race's result on record. Throws kiln::Error.
void keep(const Problem& problem, const Race::Result& result, const LocalSize& local);

/// Whether there is room to time another launch.
bool has_room_for_trial();

}  // namespace kiln::layer
