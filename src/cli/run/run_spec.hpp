#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/command/session.hpp"
#include "cli/run/options.hpp"
#include "cli/timeline/timeline.hpp"
#include "kernel/resolver/explain.hpp"
#include "kernel/resolver/resolver.hpp"
#include "schedule/co_run.hpp"
#include "spec/run/arrays.hpp"

/// How a specification file is bound (its sizes and values known) and run.
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

/// A run of one spec, for printing.
struct SpecRun : SpecBinding {
  std::string file;
  spec::Arrays arrays;
  RunReport report;                   ///< of the last run
  std::vector<std::int64_t> wall_ns;  ///< of each run
  std::vector<Explanation> explanations;
  std::string difference;  ///< from an --expect file; empty: none
};

/// A file that the command will write is one that the kernel's source was read from.
struct SourceWouldBeLost : Error {
  using Error::Error;
  explicit SourceWouldBeLost(const Error& error) : Error(error) {}
};

/// Loads, binds and runs a spec; writes --out files. Throws kiln::Error; SourceWouldBeLost before
/// anything ran.
SpecRun run_spec(const std::string& file, const RunOptions& options, Session& session,
                 Timeline* timeline);

}  // namespace kiln::cli
