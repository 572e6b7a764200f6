#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace kiln::tune {

/// Why a configuration has no time.
enum class Failure : std::uint8_t {
  none,
  build,         ///< does not compile
  resources,     ///< needs more than the device has
  launch,        ///< the driver refused or failed to run it
  wrong_result,  ///< ran, but differs from the reference
  timeout,       ///< did not end
  crash,         ///< took its process with it
};

/// "build", "resources", "launch", "wrong_result", "timeout", "crash"; "none".
constexpr const char* name_of(Failure failure) noexcept {
  constexpr const char* names[] = {"none",         "build",   "resources", "launch",
                                   "wrong_result", "timeout", "crash"};
  const auto at = static_cast<std::size_t>(failure);
  return at < std::size(names) ? names[at] : names[0];
}

/// What made the winner of a search.
enum class Decision : std::uint8_t {
  play_off,        ///< the fastest of the finalists, and surely faster than the built-in parameters
  built_in,        ///< no candidate was surely faster than the built-in parameters
  earlier_record,  ///< what an earlier search had put on record was faster
  interrupted,     ///< the best so far of a search that was told to end: there was no play-off
};

}  // namespace kiln::tune
