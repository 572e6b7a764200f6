#pragma once

#include <cstdio>
#include <exception>

/// The rest of a main(): what goes wrong is a line of standard error and exit code 2.
template <class Body>
int run_program(const char* name, const Body& body) {
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
