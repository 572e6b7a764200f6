#include "cli/tune/subject.hpp"

#include <filesystem>

#include "blas/tune/blas_tunable.hpp"
#include "cli/blas/call_options.hpp"
#include "cli/context.hpp"
#include "cli/spec_options.hpp"
#include "cli/tune/known_device.hpp"
#include "cli/written_files.hpp"
#include "spec/tune/spec_tunable.hpp"

namespace kiln::cli {
namespace {

std::unique_ptr<tune::Tunable> tunable_spec(const Context& context) {
  spec::SpecTuning tuning;
  tuning.file = context.arguments().front();
  tuning.dialect = dialect_of(context);
  tuning.symbols = symbols_of(context);
  for (const auto& folder : context.list("source-dir")) tuning.source_dirs.emplace_back(folder);
  tuning.parameters = context.list("param");
  tuning.constraints = context.list("constraint");
  tuning.inputs = files_of(context, "in");
  tuning.written = files_written_by(context);
  if (context.has("journal")) tuning.written.emplace_back(context.text("journal"));
  tuning.expect = files_of(context, "expect");
  if (context.has("rtol")) tuning.rtol = context.number("rtol");
  return value_or_throw(spec::make_spec_tunable(tuning));
}

}  // namespace

bool is_specification(const std::string& word) {
  std::error_code error;
  return word.ends_with(".json") || std::filesystem::is_regular_file(word, error);
}

TuningSubject tuning_subject(const Context& context) {
  const auto find_device = [&context] { return devices_of(context).front(); };
  // What is wrong with the words is said before a driver is asked.
  if (is_specification(context.arguments().front())) {
    auto tunable = tunable_spec(context);
    const KnownDevice device = look_at_device(find_device);
    return {device.name,         device.speed_identity, std::move(tunable),
            device.facts.is_cpu, find_device,           device.nearness};
  }
  const blas::Call call = call_of(context);
  const KnownDevice device = look_at_device(find_device);
  return {device.name,
          device.speed_identity,
          value_or_throw(blas::make_blas_tunable(call, device.facts)),
          device.facts.is_cpu,
          find_device,
          device.nearness};
}

}  // namespace kiln::cli
