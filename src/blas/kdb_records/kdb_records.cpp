#include "blas/kdb_records/kdb_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <tuple>

#include "base/log.hpp"
#include "base/os/file.hpp"
#include "blas/generator/gemm_generator.hpp"
#include "blas/kdb_records/decomposition.hpp"
#include "format/kdb/catalogue.hpp"

namespace kiln::blas {
// ---- Databases as records
namespace {

/// Reads a database of the newest layout.
class Reading {
 public:
  Reading(const kdb::Database& database, const std::string& name, const Device& device)
      : database_(database), name_(name), device_(device) {
    for (const auto& finding : kdb::verify(database, {device.max_work_group_size}))
      if (finding.severity == kdb::Finding::Severity::error && finding.place.record >= 0)
        unsound_.emplace(finding.place.pattern, finding.place.setting, finding.place.record);
  }

  KdbMeasurements all() {
    for (std::size_t p = 0; p < database_.patterns.size(); ++p)
      if (const auto* known = kdb::find_pattern(database_.patterns[p].name))
        for (std::size_t s = 0; s < database_.patterns[p].settings.size(); ++s) take(p, s, *known);
    return std::move(found_);
  }

 private:
  void take(std::size_t p, std::size_t s, const kdb::KnownPattern& known) {
    const auto& setting = database_.patterns[p].settings[s];
    const kdb::Function& function = *known.function;
    const auto routine = routine_of_function(function.name);
    for (std::size_t i = 0; i < setting.records.size(); ++i) {
      const auto& record = setting.records[i];
      if (!record.tuned())
        ++found_.untuned;
      else if (unsound_.contains({p, s, i}) || !routine || setting.type > 3)
        ++found_.unsound;
      else if ((setting.flags & ~function.looked_up) != 0 || i >= kdb_record_count)
        ++found_.unreached;
      else
        add({*routine, setting.type, setting.flags}, known, i, record);
    }
  }

  void add(const ProblemClass& problem, const kdb::KnownPattern& pattern, std::size_t index,
           const kdb::Record& record) {
    const bool level_2 = problem.routine < Routine::gemm;
    Measurement measurement;
    measurement.size = kdb_record_sizes(device_, problem.type, level_2)[index];
    measurement.milliseconds = record.time;
    measurement.of = Measurement::Of::others;
    measurement.from = fmt::format("{}, {}, record {}", name_, pattern.name, index);
    const auto number = static_cast<std::size_t>(&pattern - kdb::known_patterns().data());
    measurement.original = to_parameters({number, index, record});
    // Kiln packs its operands, so that banks are no matter of sizes.
    if (!level_2 && index < kdb_sized_records) measurement.parameters = tiles(problem, record);
    found_.by_class[text_of(problem)].add(std::move(measurement));
    ++found_.taken;
  }

  Parameters tiles(const ProblemClass& problem, const kdb::Record& record) const {
    const std::string form = gemm_form(device_);
    Request request;
    request.payload =
        GemmPayload{precision_of_kdb_type(problem.type), form, false, device_.native_floats};
    return product_parameters(record, problem, GemmGenerator().defaults(request),
                              is_cpu_form(form));
  }

  const kdb::Database& database_;
  const std::string& name_;
  const Device& device_;
  std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> unsound_;
  KdbMeasurements found_;
};

}  // namespace

Expected<KdbMeasurements> measurements_of(const kdb::Database& database, const std::string& name,
                                          const Device& device) {
  if (database.layout == kdb::Layout::v3) return Reading(database, name, device).all();
  auto converted = kdb::convert(database, kdb::Layout::v3);
  if (!converted) return tl::unexpected(converted.error());
  return Reading(converted->database, name, device).all();
}

// ---- A source of Parameters
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
  // The user did not name this very file, so that a pipe in its place is not waited for.
  constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;  // clBLAS's own have less than 2 MB
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

// ---- To a store and from it
namespace {

/// Writes a database from what is on record for a device.
class FromStore {
 public:
  FromStore(const Resolver& resolver, const Device& device, kdb::Doubles doubles)
      : resolver_(resolver), device_(device) {
    if (doubles == kdb::Doubles::detect)
      doubles = device.doubles ? kdb::Doubles::yes : kdb::Doubles::no;
    made_.database = kdb::complete({}, doubles).database;
  }

  KdbOfStore all() {
    for (auto& pattern : made_.database.patterns) {
      const auto& function = *kdb::find_pattern(pattern.name)->function;
      const auto routine = routine_of_function(function.name);
      for (auto& setting : pattern.settings)
        if (routine && (setting.flags & ~function.looked_up) == 0)
          fill({*routine, setting.type, setting.flags}, pattern.name, setting);
    }
    return std::move(made_);
  }

 private:
  void fill(const ProblemClass& problem, std::string_view pattern, kdb::Setting& setting) {
    const TuningRecord known = resolver_.tuning_record(request_of(problem), device_);
    bool has_own = false;
    for (const auto& measurement : known.history) {
      if (!std::isfinite(measurement.milliseconds) || measurement.milliseconds <= 0) continue;
      const auto placed = placed_record(measurement.original);
      if (placed && kdb::known_patterns()[placed->pattern].name == pattern)
        put(setting, placed->index, placed->record, measurement.milliseconds);
      else if (!placed && pattern == tile_pattern(problem.routine))
        has_own |= put_own(problem, setting, measurement);
    }
    if (has_own) fill_gaps(problem, setting);
  }

  /// clBLAS reads no record behind an untuned one, and takes the last for all matrices whose lines
  /// are multiples of 2048 bytes: so the others get what was measured nearest to their size.
  void fill_gaps(const ProblemClass& problem, kdb::Setting& setting) {
    const auto sizes = kdb_record_sizes(device_, problem.type, false);
    const auto measured = setting.records;
    for (std::size_t i = 0; i < setting.records.size(); ++i) {
      if (measured[i].tuned()) continue;
      std::optional<std::size_t> from;
      for (std::size_t k = 0; k < measured.size(); ++k)
        if (measured[k].tuned() &&
            (!from || size_distance(sizes[k], sizes[i]) < size_distance(sizes[*from], sizes[i])))
          from = k;
      setting.records[i] = measured[*from];
      ++made_.inferred;
    }
  }

  /// Whether clBLAS has words for it.
  bool put_own(const ProblemClass& problem, kdb::Setting& setting, const Measurement& measurement) {
    const std::string form = gemm_form(device_);
    const auto record = is_cpu_form(form) ? std::nullopt
                                          : block_decomposition(measurement.parameters, problem,
                                                                gpu_form(form).threads,
                                                                {device_.max_work_group_size});
    if (!record) {
      made_.notes.push_back(
          fmt::format("{}, size {}: clBLAS's patterns have no such decomposition; not written",
                      text_of(problem), measurement.size));
      return false;
    }
    put(setting, nearest(problem, measurement.size), *record, measurement.milliseconds);
    return true;
  }

  std::size_t nearest(const ProblemClass& problem, std::int64_t size) const {
    const auto sizes = kdb_record_sizes(device_, problem.type, false);
    const auto closer = [&](auto a, auto b) { return std::abs(a - size) < std::abs(b - size); };
    const auto last = sizes.begin() + kdb_sized_records;
    return static_cast<std::size_t>(std::min_element(sizes.begin(), last, closer) - sizes.begin());
  }

  /// In place of nothing, or of what takes longer.
  void put(kdb::Setting& setting, std::size_t index, kdb::Record record, double milliseconds) {
    if (index >= setting.records.size()) return;
    auto& place = setting.records[index];
    if (place.tuned() && place.time <= milliseconds) return;
    if (!place.tuned()) ++made_.written;
    record.time = milliseconds;
    place = record;
  }

  const Resolver& resolver_;
  const Device& device_;
  KdbOfStore made_;
};

}  // namespace

Expected<KdbMeasurements> put_on_record(const kdb::Database& database, const std::string& name,
                                        Resolver& resolver, const Device& device) {
  auto measurements = measurements_of(database, name, device);
  if (!measurements) return measurements;
  for (const auto& [problem, record] : measurements->by_class)
    resolver.record(request_of(*problem_class_named(problem)), device, record.history);
  return measurements;
}

KdbOfStore database_of_store(const Resolver& resolver, const Device& device, kdb::Doubles doubles) {
  return FromStore(resolver, device, doubles).all();
}

}  // namespace kiln::blas
