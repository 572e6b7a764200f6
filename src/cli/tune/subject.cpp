// What is tuned, and on which device: the device is looked at in a child process, so that no driver
// is loaded into the one that forks the processes of a search.
#include "cli/tune/subject.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "blas/call/call.hpp"
#include "blas/tune/blas_tunable.hpp"
#include "blas/tune/calls_to_tune.hpp"
#include "cli/blas/call_options.hpp"
#include "cli/command/context.hpp"
#include "cli/command/files.hpp"
#include "cli/command/session.hpp"
#include "cli/run/options.hpp"
#include "spec/tune/spec_tunable.hpp"
#include "tune/search/journal.hpp"
#include "tune/worker/child.hpp"

namespace kiln::cli {
namespace {

using Json = nlohmann::ordered_json;

/// A driver may compile its own library at its first start.
constexpr std::chrono::minutes longest_look{2};

/// Calls in one child process: the size of its answer is limited.
constexpr std::size_t calls_each_child = 256;

/// No side of a matrix is longer; longer ones in records are ignored.
constexpr std::int64_t longest_side = std::int64_t{1} << 30;

OnRecord on_record(const blas::Call& call, const TuningRecord& record, std::int64_t size) {
  OnRecord known;
  for (const auto& one : record.history) {
    if (one.of != Measurement::Of::kiln || !(one.milliseconds > 0) || one.size <= 0 ||
        one.size > longest_side)
      continue;
    const auto [less, more] = std::minmax(one.size, size);
    known.is_near |= more <= longest_side && 4 * more <= 5 * less;
    blas::Call square = call;
    square.m = square.n = square.k = static_cast<std::size_t>(one.size);
    known.best_rate =
        std::max(known.best_rate, blas::rate_of(blas::contiguous(square), one.milliseconds * 1e-3));
  }
  return known;
}

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

KnownDevice look_at_device(const FindDevice& find_device) {
  const auto look = [&] {
    const auto device = find_device();
    const auto facts = blas::TuningDevice::of(*device);
    const auto recorded = RecordedDevice::of(*device);
    return tune::dumped({{"name", device->name},
                         {"speed", device->speed_identity()},
                         {"cpu", facts.is_cpu},
                         {"floats", facts.native_floats},
                         {"form", facts.gemm_form},
                         {"local", facts.local_memory},
                         {"group", facts.work_group_size},
                         {"units", facts.compute_units},
                         {"doubles", device->doubles},
                         {"type", device->type_name()},
                         {"vendor", device->vendor},
                         {"fingerprint", recorded.fingerprint}});
  };
  const Json json = Json::parse(value_or_throw(tune::in_child(look, longest_look)));
  return {json["name"],
          json["speed"],
          {json["cpu"], json["floats"], json["form"], json["local"], json["group"], json["units"]},
          json["doubles"],
          {json["name"], json["fingerprint"], json["units"]},
          {json["type"], json["vendor"], json["units"], json["floats"], json["local"]}};
}

std::vector<OnRecord> look_at_records(const Context& context, const FindDevice& find_device,
                                      std::span<const blas::Call> calls) {
  std::vector<OnRecord> known;
  for (std::size_t done = 0; done < calls.size(); done += calls_each_child) {
    const auto some = calls.subspan(done, std::min(calls_each_child, calls.size() - done));
    const auto look = [&] {
      const auto device = find_device();
      const auto facts = blas::TuningDevice::of(*device);
      const auto resolver = make_resolver(context);
      Json found = Json::array();
      for (const auto& call : some) {
        Request request = blas::tuned_request(call, facts);
        request.version = blas::family_version(request.family);
        const auto one =
            on_record(call, resolver->tuning_record(request, *device), request.problem_size);
        found.push_back({one.is_near, one.best_rate});
      }
      return tune::dumped(found);
    };
    const Json found = Json::parse(value_or_throw(tune::in_child(look, longest_look)));
    for (const auto& one : found) known.push_back({one[0], one[1]});
  }
  return known;
}

bool is_specification(const std::string& word) {
  std::error_code error;
  return word.ends_with(".json") || std::filesystem::is_regular_file(word, error);
}

TuningSubject tuning_subject(const Context& context) {
  const auto find_device = [&context] { return devices_of(context).front(); };
  // Errors in the words are found before a driver is asked.
  if (is_specification(context.arguments().front())) {
    auto tunable = tunable_spec(context);
    const KnownDevice device = look_at_device(find_device);
    return {device.name,         device.speed_identity, std::move(tunable),
            device.facts.is_cpu, find_device,           device.nearness};
  }
  const blas::Call call = call_of(context);
  return tuning_subject(call, look_at_device(find_device), find_device);
}

TuningSubject tuning_subject(const blas::Call& call, const KnownDevice& device,
                             FindDevice find_device) {
  return {device.name,
          device.speed_identity,
          value_or_throw(blas::make_blas_tunable(call, device.facts)),
          device.facts.is_cpu,
          std::move(find_device),
          device.nearness};
}

}  // namespace kiln::cli
