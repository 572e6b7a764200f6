#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/run_options.hpp"
#include "cli/session.hpp"
#include "cli/spec_binding.hpp"
#include "cli/timeline_store.hpp"
#include "kernel/explain.hpp"
#include "schedule/co_run.hpp"
#include "spec/run/arrays.hpp"

namespace kiln::cli {

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
