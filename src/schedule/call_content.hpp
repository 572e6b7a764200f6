#pragma once

#include <memory>
#include <vector>

#include "device/array_storage.hpp"
#include "schedule/job.hpp"

namespace kiln {

/// What a call of the public API comes to, before it is placed anywhere: for those who place it
/// themselves.
struct CallContent {
  Job job;                                            ///< of Arrays it has the size alone
  std::vector<std::shared_ptr<ArrayStorage>> arrays;  ///< by argument; null: none
  Runtime runtime;                                    ///< of its kernel
};

/// Resolves the program once, on the first device, for what the arguments leave to the kernel's
/// text. Throws kiln::Error as a run does.
CallContent content_of(const KernelCall& call, const Range& range);

}  // namespace kiln
