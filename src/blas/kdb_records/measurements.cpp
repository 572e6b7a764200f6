#include "blas/kdb_records/measurements.hpp"

#include <fmt/format.h>

#include <set>
#include <tuple>

#include "blas/gemm/gemm_form.hpp"
#include "blas/gemm/gemm_generator.hpp"
#include "blas/kdb_records/decomposition.hpp"
#include "blas/kdb_records/record_sizes.hpp"
#include "format/kdb/catalogue.hpp"

namespace kiln::blas {
namespace {

class Reading {
 public:
  Reading(const kdb::Database& database, const std::string& name, const Device& device)
      : database_(database), name_(name), device_(device) {
    for (const auto& finding : kdb::verify(database, {device.max_work_group_size}))
      if (finding.severity == kdb::Finding::Severity::error && finding.place.record >= 0)
        unsound_.emplace(finding.place.pattern, finding.place.setting, finding.place.record);
  }

  KdbMeasurements all() {
    const auto known = kdb::known_patterns();
    for (std::size_t p = 0; p < database_.patterns.size(); ++p) {
      const auto& pattern = database_.patterns[p];
      for (std::size_t k = 0; k < known.size(); ++k)
        if (known[k].name == pattern.name)
          for (std::size_t s = 0; s < pattern.settings.size(); ++s) take(p, s, k);
    }
    return std::move(found_);
  }

 private:
  void take(std::size_t p, std::size_t s, std::size_t known) {
    const auto& setting = database_.patterns[p].settings[s];
    const kdb::Function& function = *kdb::known_patterns()[known].function;
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

  void add(const ProblemClass& problem, std::size_t pattern, std::size_t index,
           const kdb::Record& record) {
    const bool level_2 = problem.routine < Routine::gemm;
    Measurement measurement;
    measurement.size = kdb_record_sizes(device_, problem.type, level_2)[index];
    measurement.milliseconds = record.time;
    measurement.of = Measurement::Of::others;
    measurement.from =
        fmt::format("{}, {}, record {}", name_, kdb::known_patterns()[pattern].name, index);
    measurement.original = to_parameters({pattern, index, record});
    // Kiln packs its operands, so that banks are no matter of sizes.
    if (!level_2 && index < kdb_sized_records) measurement.parameters = tiles(problem, record);
    found_.by_class[text_of(problem)].add(std::move(measurement));
    ++found_.taken;
  }

  Parameters tiles(const ProblemClass& problem, const kdb::Record& record) const {
    const std::string form = gemm_form(device_);
    Request request;
    request.facts = {{"precision", std::string(1, letter(precision_of_kdb_type(problem.type)))},
                     {"form", form},
                     {"small", std::int64_t{0}},
                     {"native_floats", std::int64_t{device_.native_floats}}};
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

}  // namespace kiln::blas
