#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <string_view>

#include "base/file_descriptor.hpp"
#include "tune/share/board.hpp"

namespace kiln::tune {

/// A child process that talks to a Board for a tuner, and renews what the tuner holds while it
/// measures: the tuner's own process forks those that measure, so it may start no threads, and a
/// network that hangs costs it nothing. Ends with its parent, whose leases expire then. What was
/// told while the board could not be reached is told when it is back. One thread.
class Messenger {
 public:
  struct Limits {
    std::chrono::milliseconds renewal{5'000};   ///< a third of a lease
    std::chrono::milliseconds held{1'800'000};  ///< a candidate is not renewed for longer
    std::chrono::milliseconds answer{60'000};   ///< after which the messenger is given up
  };

  /// Forks. Errors: io.
  static Expected<Messenger> start(const MakeBoard& make, const Limits& limits);
  Messenger(Messenger&&) noexcept;
  Messenger& operator=(Messenger&&) = delete;
  ~Messenger();

  enum class Ask : char {
    take = 't',      ///< "m", "t" or "k": mine, theirs, known
    tell = 'r',      ///< a result, with its text
    news = 'n',      ///< texts, a line each, without line feeds of their own
    leave = 'l',     ///< "0" where this one is to end the search
    members = 'm',   ///< how many others are at it, or at its end
    finish = 'f',    ///< with its text
    finished = 'd',  ///< "+" and the text, or nothing
  };
  /// Errors: io, with the reason, where the board cannot be reached; device where the messenger is
  /// gone, for ever.
  Expected<std::string> ask(Ask what, ConfigurationId id = 0, std::string_view text = {});

 private:
  Messenger(FileDescriptor channel, pid_t child, const Limits& limits)
      : channel_(std::move(channel)), child_(child), limits_(limits) {}
  void stop();

  FileDescriptor channel_;
  pid_t child_ = -1;
  Limits limits_;
};

}  // namespace kiln::tune
