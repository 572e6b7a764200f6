#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "device/context.hpp"
#include "kernel/calls/recorded_call.hpp"
#include "kiln/spec/file.hpp"
#include "schedule/partition.hpp"

/// Runs of specification files as the record of calls describes them.
namespace kiln::spec {

/// A run of a specification file: all that its program depends on.
struct RecordedSpec {
  std::filesystem::path file;  ///< absolute
  Symbols symbols;
  SpecDialect dialect = SpecDialect::automatic;
  std::vector<std::filesystem::path> source_dirs;  ///< absolute
  std::vector<std::size_t> local_size;             ///< empty: the file's own
  std::optional<Partition> partition;              ///< in place of the file's class
};

/// That as a record of calls has it (docs/formats/calls.md), and back. Errors: bad_input, with the
/// name of the field.
RecordedCall recorded_call(const RecordedSpec& spec, const std::string& kernel,
                           const std::vector<Queue>& queues);
Expected<RecordedSpec> recorded_spec_of(const RecordedCall& recorded);

}  // namespace kiln::spec
