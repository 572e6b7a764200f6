#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "tune/search/partners.hpp"
#include "tune/worker/child.hpp"

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
  Messenger(Child child, const Limits& limits) : child_(std::move(child)), limits_(limits) {}

  Child child_;
  Limits limits_;
};

}  // namespace kiln::tune
