#pragma once

#include "cli/run_spec.hpp"

namespace kiln::cli {

/// `--legacy`: the original's own offsets and sizes for a partition class, each device with rebased
/// slices and work-item numbers from 0, results read back over each other. For comparison: the
/// result is often wrong. Needs a class 0..10; classes 1..9 need two devices. Throws refused where
/// the original itself fails.
void run_legacy(const spec::Spec& spec, const Partition& partition, Job job, Session& session,
                SpecRun& result);

}  // namespace kiln::cli
