#pragma once

#include <string>
#include <vector>

#include "cli/command/context.hpp"
#include "kernel/request/stored_record.hpp"
#include "tune/records/kept_run.hpp"

/// What the store has on record of tuning, for the commands about it.
namespace kiln::cli {

/// The local store's tuning records that fit --family and --device. Throws Error.
std::vector<StoredRecord> records_of(const Context& context);

namespace options {

inline constexpr Option record_family = Option::text(
    "family", "TEXT", "Only records of kernel families whose name holds this text (blas.gemm).");
inline constexpr Option record_device =
    Option::text("device", "TEXT",
                 "Only records of devices whose identity (platform, name, driver version, units) "
                 "holds this text.");

}  // namespace options

/// The searches that the local store has on record, by device and identity, the latest last. Throws
/// Error.
std::vector<tune::KeptRun> kept_searches(const Context& context);

/// A search by its journal or, where there is no such file, by its id. Throws Error.
tune::TuningRun search_named(const Context& context, const std::string& word);

}  // namespace kiln::cli
