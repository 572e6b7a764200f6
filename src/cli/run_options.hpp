#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "cli/command.hpp"
#include "kiln/run.hpp"
#include "kiln/spec.hpp"
#include "schedule/partition.hpp"
#include "spec/run/arrays.hpp"

namespace kiln::cli {

/// `kiln run`: what it is called, its options and its help.
extern const Command run_command;

/// What the options of `kiln run` ask of every spec.
struct RunOptions {
  spec::Symbols symbols;
  spec::SpecDialect dialect = spec::SpecDialect::automatic;
  std::vector<std::filesystem::path> source_dirs;
  std::optional<Partition> partition;   ///< empty: the spec's own class
  std::vector<std::size_t> local_size;  ///< empty: the spec's own
  spec::Files inputs, outputs, expectations;
  std::vector<std::filesystem::path> written;  ///< by --out, --trace and --gantt
  double rtol = 1e-5;
  std::uint64_t seed = 0;
  std::int64_t runs = 1;
  bool legacy = false;
  Bounds bounds = Bounds::unchecked;
};
/// Throws Error (bad input) for a value that cannot be read.
RunOptions run_options_of(const Context& context);

}  // namespace kiln::cli
