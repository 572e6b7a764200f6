#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kernel/calls/recorded_call.hpp"
#include "kernel/program/program.hpp"
#include "kiln/kernel.hpp"
#include "schedule/co_run.hpp"

/// Kernels of source files, run through kiln/kernel.hpp, as the record of calls describes them.
namespace kiln {

/// A kernel of a source file: what its program depends on.
struct SourceKernel {
  std::filesystem::path file;  ///< absolute
  std::string kernel, options;
  NDRange range;
};

/// That as a record of calls has it (docs/formats/calls.md), and back. Errors: bad_input, with the
/// name of the field.
RecordedCall recorded_call(const SourceKernel& kernel, const std::vector<Queue>& queues);
Expected<SourceKernel> source_kernel_of(const RecordedCall& recorded);

/// Counts a run: its whole time, and the devices' longest. `counter` may be null.
void count_run(CallCounter* counter, const RunReport& report);

/// "64x16": a range's sizes, and back; 1 to 3 numbers of at least 1. Errors: bad_input.
std::string sizes_text(const std::array<std::size_t, 3>& sizes, unsigned dimensions);
Expected<std::vector<std::size_t>> parse_sizes(std::string_view text);

}  // namespace kiln
