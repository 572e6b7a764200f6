#include "cli/tune/subject.hpp"

#include <filesystem>

#include "cli/blas/call_options.hpp"
#include "cli/command/context.hpp"
#include "cli/command/files.hpp"
#include "cli/command/session.hpp"
#include "cli/run/options.hpp"
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

blas::SearchPlace search_place(const Context& context) {
  return {[&context] { return devices_of(context).front(); }, store_settings_of(context),
          compile_policy_of(context)};
}

tune::SearchTask search_task(const Context& context) {
  auto place = search_place(context);
  // Errors in the words are found before a driver is asked.
  if (is_specification(context.arguments().front())) {
    auto tunable = tunable_spec(context);
    auto device = tune::look_at_device(place.find_device);
    return {std::move(tunable), std::move(device), std::move(place.find_device),
            std::move(place.store), place.compile};
  }
  const blas::Call call = call_of(context);
  return blas::blas_task(call, blas::look_at_blas_device(place.find_device), place);
}

}  // namespace kiln::cli
