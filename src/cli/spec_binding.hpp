#pragma once

#include <string>
#include <vector>

#include "cli/run_options.hpp"
#include "kernel/resolver.hpp"

namespace kiln::cli {

/// A spec with every size and value known, as a run takes it.
struct SpecBinding {
  spec::BoundSpec bound;
  ChosenParameters tuned;  ///< values on record that it has; none: as the file has it
  std::string not_tuned;   ///< why values on record were not used; empty where there are none
};

/// How the options, or else the bound spec, want it split.
Partition partition_of(const RunOptions& options, const spec::BoundSpec& bound);

/// As the file and the options have it. Errors: those of spec::bind(). Throws Error (bad input) for
/// a --local-size that does not fit; `file` is named in it.
Expected<spec::BoundSpec> bind_untuned(const spec::Spec& loaded, const RunOptions& options,
                                       const std::string& file);

/// With what is on record for its kernel and the devices, in place of `untuned`, which is thrown
/// where that is an error and nothing is on record.
SpecBinding bind_tuned(const spec::Spec& loaded, const RunOptions& options, Resolver& resolver,
                       const std::vector<DevicePtr>& devices, const SourcePtr& source,
                       Expected<spec::BoundSpec> untuned);

}  // namespace kiln::cli
