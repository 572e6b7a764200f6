#pragma once

#include <cstdlib>

namespace kiln {

/// Gives this process a PATH where whoever started it gave none (cron jobs, `env -i`): PoCL looks
/// there for its linker and aborts where it finds none. For main functions alone, since it changes
/// the environment.
inline void set_default_path() {
  const char* path = std::getenv("PATH");
  if (path == nullptr || *path == '\0') ::setenv("PATH", "/usr/local/bin:/usr/bin:/bin", 1);
}

}  // namespace kiln
