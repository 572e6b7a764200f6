#pragma once

#include <cstddef>

/// `kiln mesh …` as ranks of a launcher of MPI programs, before it becomes the program that knows
/// MPI. The launcher tells ranks their numbers in the environment.
namespace kiln::cli {

/// How many ranks there are; 1: no launcher. (PMIx tells no number: it counts as several.)
std::size_t ranks_of_launcher();

/// Of `kiln mesh …`: all ranks have the same words, and say the same of them. So a rank but the
/// first says nothing while this is there, until speak().
class LaunchedRank {
 public:
  LaunchedRank(int count, char** words);
  LaunchedRank(const LaunchedRank&) = delete;
  LaunchedRank& operator=(const LaunchedRank&) = delete;
  ~LaunchedRank() { speak(); }

  /// Standard output and standard error are what they were. Nothing where there is no such rank.
  static void speak();

  /// The exit code. One that failed leaves the first rank the time to say why: when a rank ends
  /// so, the launcher ends all others.
  int end(int code) const;

 private:
  bool is_silent_ = false;
};

}  // namespace kiln::cli
