#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "tune/tunable.hpp"

namespace kiln::tune {

/// What a child says: how something went, and what it took.
struct Answer {
  Failure failure{};
  double seconds = 0;                 ///< of the runs that were asked for, by the device's clock
  double spent = 0;                   ///< seconds in the child
  double compiling = 0, running = 0;  ///< parts of these
  bool has_id = false;                ///< whether `id` answers
  ConfigurationId id = 0;
  std::string message;
  /// What kernels wrote to standard output since the last answer: the beginning, and how much.
  std::string printed;
  std::uint64_t printed_bytes = 0;

  Report report() const;
};

/// To the other end of a channel; false where that is gone.
bool tell(int channel, const Answer& answer);
/// From there. Errors: unsupported where nothing comes within the bound, device where the other end
/// is gone.
Expected<Answer> hear(int channel, std::chrono::milliseconds limit);

/// Calls what fills an answer in, with the time that it takes; what it throws is a failure by its
/// kind.
Answer answered_by(const std::function<void(Answer&)>& work);

}  // namespace kiln::tune
