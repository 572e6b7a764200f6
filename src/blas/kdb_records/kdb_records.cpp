#include "blas/kdb_records/kdb_records.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.hpp"
#include "base/log.hpp"
#include "blas/kdb_records/decomposition.hpp"

namespace kiln::blas {
namespace {

/// Real ones have less than 2 MB.
constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;

}  // namespace

TuningRecord KdbRecords::find(const Request& request, const Device& device) const {
  const auto problem = problem_class_named(request.problem_class);
  if (!problem || request_of(*problem).family != request.family) return {};
  const std::lock_guard lock(mutex_);
  const auto [entry, is_new] = by_device_.try_emplace(device.speed_identity());
  if (is_new) entry->second = read(device);
  const auto found = entry->second.by_class.find(request.problem_class);
  return found == entry->second.by_class.end() ? TuningRecord() : found->second;
}

KdbMeasurements KdbRecords::read(const Device& device) const {
  // clBLAS takes the device's name as it is; a slash in it makes a name of no file.
  const std::string name = device.name + ".kdb";
  const std::string path = (std::filesystem::path(folder_) / name).string();
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return {};
  const auto fail = [&](const Error& error) {
    log(LogLevel::warning, fmt::format("{} is not used: {}", path, error.message()));
    return KdbMeasurements();
  };
  // Nobody named this very file, so that a pipe in its place is not waited for.
  const auto bytes = read_file(path, most_bytes);
  if (!bytes) return fail(bytes.error());
  const auto database = kdb::parse(*bytes);
  if (!database) return fail(database.error());
  auto measurements = measurements_of(*database, name, device);
  if (!measurements) return fail(measurements.error());
  if (measurements->unsound > 0)
    log(LogLevel::warning, fmt::format("{}: {} records break clBLAS's rules and are not used "
                                       "(kiln kdb verify names them)",
                                       path, measurements->unsound));
  return *std::move(measurements);
}

std::unique_ptr<ParameterSource> kdb_records_of_environment() {
  const char* folder = std::getenv("CLBLAS_STORAGE_PATH");
  if (folder == nullptr || *folder == '\0') return nullptr;
  return std::make_unique<KdbRecords>(folder);
}

}  // namespace kiln::blas
