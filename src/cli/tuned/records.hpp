#pragma once

#include <string>
#include <vector>

#include "cli/context.hpp"
#include "kernel/stored_record.hpp"

/// What the commands about tuning records share.
namespace kiln::cli {

/// The local store's tuning records. Throws Error.
std::vector<StoredRecord> all_records(const Context& context);
/// Those that fit --family and --device.
std::vector<StoredRecord> records_of(const Context& context);

/// The device's name: the third part of its identity.
std::string device_name(const RecordSubject& subject);

/// "columns 12, rows 32"; "-" where there are none.
std::string parameters_text(const Parameters& parameters);
/// "1.23 ms"; "-" where it is not known.
std::string milliseconds_text(double milliseconds);

namespace options {

inline constexpr Option record_family{
    .name = "family",
    .kind = Kind::text,
    .value_name = "TEXT",
    .help = "Only records of kernel families whose name holds this text (blas.gemm)."};
inline constexpr Option record_device{
    .name = "device",
    .kind = Kind::text,
    .value_name = "TEXT",
    .help =
        "Only records of devices whose identity (platform, name, driver version, units) holds this "
        "text."};

}  // namespace options

}  // namespace kiln::cli
