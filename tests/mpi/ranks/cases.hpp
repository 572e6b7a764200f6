#pragma once

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "kiln/mpi.hpp"

/// What ranks do in tests: each case runs on all of them. A case that finds something wrong throws.
namespace kiln::testing {

using Words = std::vector<std::string>;
using mpi::Environment;

template <class... Parts>
[[noreturn]] void fail_case(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  throw Error(Errc::internal, text.str());
}
template <class... Parts>
void expect(bool holds, const Parts&... parts) {
  if (!holds) fail_case(parts...);
}

/// As many rounds as KILN_LONG=1 has, or a few.
inline int long_or(int many, int few) { return std::getenv("KILN_LONG") != nullptr ? many : few; }

/// One line of standard output, at once.
inline void say(const std::string& line) {
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

// transport_cases.cpp
void random_messages(const Environment& mpi, const Words& words);
void repeated_starts(const Environment& mpi, const Words& words);
void large_messages(const Environment& mpi, const Words& words);
void deliveries(const Environment& mpi, const Words& words);
void gathers(const Environment& mpi, const Words& words);
void early_ends(const Environment& mpi, const Words& words);
void wrong_size(const Environment& mpi, const Words& words);
// failure_cases.cpp
void throwing(const Environment& mpi, const Words& words);
void all_throwing(const Environment& mpi, const Words& words);
void aborting(const Environment& mpi, const Words& words);
void killed(const Environment& mpi, const Words& words);
void stalling(const Environment& mpi, const Words& words);
void elsewhere(const Environment& mpi, const Words& words);
void traced(const Environment& mpi, const Words& words);
void places(const Environment& mpi, const Words& words);
// partition_cases.cpp
void partitions(const Environment& mpi, const Words& words);
void small_graphs(const Environment& mpi, const Words& words);
// file_cases.cpp
void copy_file(const Environment& mpi, const Words& words);
void write_file(const Environment& mpi, const Words& words);
void cut_file(const Environment& mpi, const Words& words);
void missing_parts(const Environment& mpi, const Words& words);
void both_libraries(const Environment& mpi, const Words& words);
// layer_cases.cpp
void airfoil_messages(const Environment& mpi, const Words& words);
void late_messages(const Environment& mpi, const Words& words);
// solve_cases.cpp
void solves(const Environment& mpi, const Words& words);
// stalled_call_cases.cpp
void stalled_call(const Environment& mpi, const Words& words);
void collectives(const Environment& mpi, const Words& words);
// runtime_cases.cpp
void herd(const Environment& mpi, const Words& words);
void threads(const Environment& mpi, const Words& words);
void shares(const Environment& mpi, const Words& words);
void balancing(const Environment& mpi, const Words& words);

}  // namespace kiln::testing
