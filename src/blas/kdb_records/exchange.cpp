#include "blas/kdb_records/exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "blas/gemm/gemm_form.hpp"
#include "blas/kdb_records/decomposition.hpp"
#include "blas/kdb_records/record_sizes.hpp"
#include "format/kdb/catalogue.hpp"

namespace kiln::blas {
namespace {

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
    const auto last = sizes.begin() + kdb_sized_records;
    return static_cast<std::size_t>(std::min_element(sizes.begin(), last,
                                                     [&](std::int64_t a, std::int64_t b) {
                                                       return std::abs(a - size) <
                                                              std::abs(b - size);
                                                     }) -
                                    sizes.begin());
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
