#pragma once

#include <cstddef>
#include <memory>

namespace kiln::bench {

/// What the memory of this machine gives to all cores at once, for the bars of routines that do
/// nothing but read and write: a copy, or reading alone. Threads of its own; one user at a time.
class Bandwidth {
 public:
  enum class Kind { copy, read };
  /// Two blocks of `bytes` for a copy, one for reading.
  Bandwidth(Kind kind, std::size_t bytes);
  ~Bandwidth();
  Bandwidth(const Bandwidth&) = delete;
  Bandwidth& operator=(const Bandwidth&) = delete;
  /// Bytes that go to or come from memory in a run.
  double traffic() const;
  /// Milliseconds of one run.
  double run();

 private:
  struct Team;
  std::unique_ptr<Team> team_;
};

/// The largest cache of this machine, in bytes; 0 where the system does not say.
std::size_t largest_cache();

}  // namespace kiln::bench
