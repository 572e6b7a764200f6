#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/session.hpp"
#include "cli/timeline_store.hpp"
#include "kernel/explain.hpp"
#include "kiln/spec.hpp"
#include "schedule/co_run.hpp"
#include "schedule/partition.hpp"
#include "spec/run/arrays.hpp"

namespace kiln::cli {

/// What the options of `kiln run` ask of every spec.
struct RunOptions {
  spec::Symbols symbols;
  spec::SpecDialect dialect = spec::SpecDialect::automatic;
  std::vector<std::filesystem::path> source_dirs;
  std::optional<Partition> partition;   ///< empty: the spec's own class
  std::vector<std::size_t> local_size;  ///< empty: the spec's own
  spec::Files inputs, outputs, expectations;
  double rtol = 1e-5;
  std::uint64_t seed = 0;
  std::int64_t runs = 1;
  bool legacy = false;
};
RunOptions run_options_of(const Context& context);

/// "0=a.npy" entries of a repeatable option; bad_input where a position is no number.
spec::Files files_of(const Context& context, std::string_view option);

/// A run of one spec, for printing.
struct SpecRun {
  std::string file;
  spec::BoundSpec bound;
  spec::Arrays arrays;
  RunReport report;                   ///< of the last run
  std::vector<std::int64_t> wall_ns;  ///< of each run
  std::vector<Explanation> explanations;
  std::string difference;  ///< from an --expect file; empty: none
};

/// Loads, binds and runs a spec; writes --out files. Throws kiln::Error.
SpecRun run_spec(const std::string& file, const RunOptions& options, Session& session,
                 Timeline* timeline);

}  // namespace kiln::cli
