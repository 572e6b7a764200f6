#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/log.hpp"
#include "base/os/file.hpp"
#include "spec/tune/spec_tunable.hpp"
#include "store/default_store.hpp"

namespace kiln::spec::testing {

/// Turns a matrix through a tile in local memory. With TS 4 it is wrong, with TS 6 it does not
/// compile; SHIFT tells nothing to the file.
inline const std::string transpose_source = R"(
#if TS == 6
#error six is not for this kernel
#endif
#ifndef SHIFT
#define SHIFT 0
#endif
__kernel void turn(__global const float* in, __global float* out, int n, __local float* tile) {
  const int x = get_local_id(0), y = get_local_id(1);
  const int cx = (int)get_global_id(0) - x, cy = (int)get_global_id(1) - y;
  tile[y * TS + x] = in[(cy + y) * n + cx + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[(cx + y) * n + cy + x] = tile[x * TS + y] + (TS == 4 && x == 1 ? 1.0f : SHIFT * 1e-6f);
}
)";

inline const std::string transpose_spec = R"({
  "name": "turn", "src": "turn.cl", "workDimension": 2, "partition": 10,
  "symbolicVariables": {"TS": 8},
  "macros_values": {"TS": "TS"},
  "globalWorkSize": "[dataset, dataset]",
  "localWorkSize": "[TS, TS]",
  "inputBuffers": [{"pos": 0, "type": "float", "size": "dataset*dataset", "break": 0}],
  "outputBuffers": [{"pos": 1, "type": "float", "size": "dataset*dataset", "break": 0}],
  "varArguments": [{"pos": 2, "type": "int", "value": "dataset"}],
  "localArguments": [{"pos": 3, "type": "float", "size": "TS*TS"}]
})";

inline DevicePtr cpu_device() {
  for (const auto& device : value_or_throw(all_devices()))
    if (device->type == Device::Type::cpu) return device;
  throw Error(Errc::not_found, "the tests need a CPU device");
}

/// A text with every occurrence of `what` replaced.
inline std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

/// A spec and its source in a folder of their own, a CPU, and a store that forgets nothing.
class SpecTuneTest : public ::testing::Test {
 protected:
  SpecTuneTest() {
    set_log_sink({});
    write("turn.cl", transpose_source);
    write("turn.json", transpose_spec);
  }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    const auto path = folder_.path() / name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  std::filesystem::path file(const std::string& name = "turn.json") const {
    return folder_.path() / name;
  }

  /// TS over these values, at dataset 48.
  SpecTuning tuning(const std::string& parameter = "TS=2,4,6,8,16") const {
    SpecTuning options;
    options.file = file();
    options.dataset = 48;
    options.parameters = {parameter};
    return options;
  }
  static std::unique_ptr<tune::Tunable> tunable(const SpecTuning& options) {
    return value_or_throw(make_spec_tunable(options));
  }
  std::unique_ptr<tune::Bench> bench(const tune::Tunable& tunable) {
    auto made = tunable.open(resolver_, queue_.context(), queue_);
    made->begin();
    return made;
  }
  /// The configuration with this text.
  static tune::ConfigurationId id(const tune::Tunable& tunable, const std::string& text) {
    for (tune::ConfigurationId id = 0; id < tunable.space().size(); ++id)
      if (tunable.space().text(id) == text) return id;
    throw std::logic_error("no configuration " + text);
  }
  static std::string error_of(const SpecTuning& options) {
    const auto made = make_spec_tunable(options);
    return made ? "" : made.error().message();
  }

  TemporaryFolder folder_ = value_or_throw(TemporaryFolder::create("kiln-spec-tune"));
  Resolver resolver_{open_local_store((folder_.path() / "store").string())};
  DevicePtr device_ = cpu_device();
  Queue queue_{Context::create({device_}), device_};
};

}  // namespace kiln::spec::testing
