#include "cli/tune/subject.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "blas/tune/blas_tunable.hpp"
#include "cli/blas/call_options.hpp"
#include "cli/context.hpp"
#include "cli/spec_options.hpp"
#include "spec/tune/spec_tunable.hpp"
#include "tune/worker/in_child.hpp"

namespace kiln::cli {
namespace {

using Json = nlohmann::ordered_json;

/// What is known of a device without its driver.
struct KnownDevice {
  std::string name, speed_identity;
  blas::TuningDevice facts;
  tune::DeviceFacts nearness;
};

/// Asked in a child: this process must stay free of drivers, since it forks those that measure.
KnownDevice look_at_device(const Context& context) {
  const auto look = [&] {
    const auto device = devices_of(context).front();
    const auto facts = blas::TuningDevice::of(*device);
    return Json{{"name", device->name},
                {"speed", device->speed_identity()},
                {"cpu", facts.is_cpu},
                {"floats", facts.native_floats},
                {"form", facts.gemm_form},
                {"local", facts.local_memory},
                {"group", facts.work_group_size},
                {"units", facts.compute_units},
                {"type", device->type_name()},
                {"vendor", device->vendor}}
        .dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  const Json json = Json::parse(value_or_throw(tune::in_child(look, std::chrono::minutes(2))));
  return {json["name"],
          json["speed"],
          {json["cpu"], json["floats"], json["form"], json["local"], json["group"], json["units"]},
          {json["type"], json["vendor"], json["units"], json["floats"], json["local"]}};
}

bool is_spec(const std::string& word) {
  std::error_code error;
  return word.ends_with(".json") || std::filesystem::is_regular_file(word, error);
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
  tuning.expect = files_of(context, "expect");
  if (context.has("rtol")) tuning.rtol = context.number("rtol");
  if (tuning.parameters.empty())
    throw Error(Errc::bad_input, tuning.file.string() +
                                     ": nothing to search; expected --param NAME=VALUES, as "
                                     "--param TS=8,16,32");
  return value_or_throw(spec::make_spec_tunable(tuning));
}

}  // namespace

TuningSubject tuning_subject(const Context& context) {
  const auto find_device = [&context] { return devices_of(context).front(); };
  // What is wrong with the words is said before a driver is asked.
  if (is_spec(context.arguments().front())) {
    auto tunable = tunable_spec(context);
    const KnownDevice device = look_at_device(context);
    return {device.name,         device.speed_identity, std::move(tunable),
            device.facts.is_cpu, find_device,           device.nearness};
  }
  if (!context.list("param").empty())
    throw Error(Errc::bad_input,
                "--param: found a routine of BLAS, whose parameters are its own; "
                "expected a specification file");
  const blas::Call call = call_of(context);
  const KnownDevice device = look_at_device(context);
  return {device.name,
          device.speed_identity,
          value_or_throw(blas::make_blas_tunable(call, device.facts)),
          device.facts.is_cpu,
          find_device,
          device.nearness};
}

}  // namespace kiln::cli
