#include "tune/worker/kept_output.hpp"

#include <fcntl.h>
#include <stdio_ext.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace kiln::tune {

void discard_output() {
  ::__fpurge(stdout);
  const FileDescriptor nothing(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (nothing) ::dup2(nothing.get(), STDOUT_FILENO);
}

KeptOutput::KeptOutput() : capture_([this](std::string_view more) { add(more); }) {}

void KeptOutput::add(std::string_view more) {
  const std::lock_guard lock(mutex_);
  const std::size_t room = most_kept - std::min(most_kept, taken_.text.size());
  taken_.text.append(more.substr(0, room));
  taken_.bytes += more.size();
}

KeptOutput::Taken KeptOutput::take() {
  capture_.flush();
  const std::lock_guard lock(mutex_);
  return std::exchange(taken_, {});
}

}  // namespace kiln::tune
