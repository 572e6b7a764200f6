#pragma once

#include <cstdint>

namespace kiln::bench {

/// How often this process has locked a pthread mutex or read-write lock, or waited for one, since
/// its start: kiln-bench puts a counting function before each of the system's own. Counts what
/// this program and its libraries call; the locks inside libc itself are not seen.
std::uint64_t locks_taken();

}  // namespace kiln::bench
