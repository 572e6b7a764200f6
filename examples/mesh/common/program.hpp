#pragma once

#include <cstdio>
#include <exception>
#include <string_view>

/// The rest of a main(): `--help` prints the usage; what goes wrong is a line of standard error and
/// exit code 2.
template <class Body>
int run_program(const char* name, const char* usage, int count, char** words, const Body& body) {
  if (count == 2 &&
      (words[1] == std::string_view("--help") || words[1] == std::string_view("-h"))) {
    std::printf("usage: %s %s\n", name, usage);
    return 0;
  }
  try {
    return body();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 2;
  }
}

/// The last line, and the exit code: 1 where a check failed.
inline int report_check(bool passed) {
  std::puts(passed ? "check passed" : "check FAILED");
  return passed ? 0 : 1;
}
