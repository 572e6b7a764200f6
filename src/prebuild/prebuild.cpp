// Programs of all calls of a record.
#include "kiln/prebuild.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "prebuild/build_call.hpp"

namespace kiln {
namespace {

std::string fact_text(const Fact& fact) {
  return std::visit([](const auto& value) { return fmt::format("{}", value); }, fact.value);
}

}  // namespace

bool was_compiled(const Explanation& explanation) {
  return std::any_of(explanation.steps.begin(), explanation.steps.end(), [](const auto& step) {
    return step.layer == "compile" || step.layer == "variant";
  });
}

/// The words of the name are left out, and of a loop all facts but its number of elements.
std::string subject_of(const RecordedCall& call) {
  std::string text;
  for (const auto& fact : call.facts) {
    if (call.kind == "loop" && fact.name != "elements") continue;
    if (call.kind == "blas" &&
        (fact.name == "routine" || fact.name == "precision" || fact.name.starts_with("stride_")))
      continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", fact.name, fact_text(fact));
  }
  return text;
}

std::string device_names_of(const RecordedCall& call) {
  std::string text;
  for (const auto& device : call.devices)
    if (text.find(device.name) == text.npos) text += (text.empty() ? "" : ", ") + device.name;
  return text;
}

PrebuildResult prebuild(Runtime::State& runtime, const RecordedCalls& recorded,
                        const LoopBuilder& loops, const PrebuildOptions& options) {
  Resolver& resolver = runtime.resolver();
  if (resolver.store() == nullptr)
    throw Error(
        Errc::bad_input,
        "--store: found 'off', expected a folder: prebuild keeps its programs in the store");
  blas::Library& library = blas::Library::of(runtime);
  if (loops.add_generators != nullptr) loops.add_generators(resolver);
  PrebuildResult result;
  for (const RecordedCall& call : recorded.calls) {
    PrebuiltCall& built = result.calls.emplace_back(PrebuiltCall{.kind = call.kind,
                                                                 .name = call.name,
                                                                 .subject = subject_of(call),
                                                                 .device = device_names_of(call),
                                                                 .count = call.count,
                                                                 .share = call.share});
    if (options.begin) options.begin(built, recorded.calls.size());
    try {
      for (const auto& explanation : build_call(call, resolver, library, loops)) {
        ++built.programs;
        result.keys.insert(explanation.key);
        if (was_compiled(explanation)) ++built.compiled;
      }
    } catch (const Error& error) {
      built.failure = error;
    }
    result.compiled += built.compiled;
  }
  resolver.finish();
  return result;
}

PrebuildResult prebuild(const Runtime& runtime, const std::filesystem::path& record,
                        const PrebuildOptions& options) {
  return prebuild(runtime.state(), value_or_throw(read_calls(record)), {}, options);
}

}  // namespace kiln
