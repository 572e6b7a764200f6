#pragma once

#include <functional>

#include "kernel/runtime.hpp"
#include "kiln/spec/run.hpp"
#include "schedule/partition.hpp"
#include "spec/run/arrays.hpp"
#include "spec/run/recorded_spec.hpp"

/// How a specification file is read, bound (its sizes and values known) and run.
namespace kiln::spec {

/// A spec with every size and value known, as a run takes it.
struct Binding {
  BoundSpec bound;
  ChosenParameters tuned;  ///< values on record that it has; none: as the file has it
  std::string not_tuned;   ///< why values on record were not used; empty where there are none
};

/// As the file and the caller have it. Errors: those of bind(), and bad_input for a local size that
/// does not fit.
Expected<BoundSpec> bind_untuned(const Spec& loaded, const RecordedSpec& asked);

/// With what is on record for its kernel and the devices, in place of `untuned`, which is thrown
/// where that is an error and nothing is on record.
Binding bind_tuned(const Spec& loaded, const RecordedSpec& asked, Resolver& resolver,
                   const std::vector<DevicePtr>& devices, const SourcePtr& source,
                   Expected<BoundSpec> untuned);

/// A file that the caller will write is one that the kernel's source was read from.
struct SourceWouldBeLost : Error {
  using Error::Error;
  explicit SourceWouldBeLost(const Error& error) : Error(error) {}
};

/// A file that was read, with its kernel's source: what of a run needs no device.
struct PreparedSpec {
  Spec spec;
  RecordedSpec asked;
  Expected<BoundSpec> untuned;  ///< an error where only values on record can be its symbols
  SourcePtr source;
};

/// Reads a file and all that it names. Throws kiln::Error for what is wrong with it, whatever the
/// devices; SourceWouldBeLost where one of `written` was read.
PreparedSpec prepare_spec(const std::filesystem::path& file, const SpecRunOptions& options,
                          const std::vector<std::filesystem::path>& written);

/// What a caller wants to see of a run while it is made.
struct RunObserver {
  TraceSink* trace = nullptr;
  std::function<void(const Explanation&)> found = {};  ///< a program, once all have run
  std::function<void()> before_each = {};              ///< run; may throw
};

/// Runs what was prepared with these options. Throws kiln::Error.
SpecResult run_prepared(PreparedSpec prepared, const SpecRunOptions& options,
                        Runtime::State& runtime, const RunObserver& observer = {});

/// The splits that these words name; none: the classes 0 to 10. Throws kiln::Error.
std::vector<Partition> splits_to_verify(const std::vector<std::string>& words);

/// verify() of kiln/spec/run.hpp. Calls `report` for each split when it is known.
void verify_spec(const std::filesystem::path& file, const VerifyOptions& options,
                 const std::vector<Partition>& splits, Runtime::State& runtime,
                 const std::function<void(const Verdict&)>& report);

}  // namespace kiln::spec
