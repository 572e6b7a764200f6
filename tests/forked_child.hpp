#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "kiln/error.hpp"

namespace kiln::testing {

/// What the call says that is refused in a child of fork(), or that it was not refused. A child
/// that waits for ever is ended after a minute.
template <class Call>
std::string refusal_in_child(Call&& call) {
  int ends[2];
  if (::pipe(ends) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    std::string said = "it was not refused";
    try {
      call();
    } catch (const Error& error) {
      said = std::string(name_of(error.code())) + ": " + error.what();
    }
    const auto written = ::write(ends[1], said.data(), said.size());
    ::_exit(written == static_cast<ssize_t>(said.size()) ? 0 : 1);
  }
  ::close(ends[1]);
  std::string said;
  char buffer[1024];
  for (ssize_t got; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    said.append(buffer, static_cast<std::size_t>(got));
  ::close(ends[0]);
  int status = 0;
  if (::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return "the child did not end";
  return said;
}

inline constexpr const char* after_fork =
    "unsupported: this process was forked from one that had used OpenCL, whose drivers do not work "
    "in a child; fork before the first use, or exec() in the child";

}  // namespace kiln::testing
