#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/os/file.hpp"
#include "base/os/process.hpp"
#include "test_paths.hpp"

namespace kiln::testing {

/// Whether all is run, and nothing that tests could share is shared.
inline bool is_long_run() { return std::getenv("KILN_LONG") != nullptr; }

/// Runs programs that know nothing of Kiln, with the layer and without. Each test has a store and a
/// cache of the driver of its own, empty in the beginning.
class LayerTest : public ::testing::Test {
 protected:
  using Environment = std::map<std::string, std::string>;

  LayerTest() : folder_(value_or_throw(TemporaryFolder::create("kiln-layer-test"))) {}

  std::filesystem::path folder() const { return folder_.path(); }
  std::filesystem::path store() const { return folder() / "store"; }
  std::filesystem::path report_file() const { return folder() / "report"; }

  /// A folder for the driver's cache, emptied.
  std::string empty_cache(const std::string& name = "driver-cache") const {
    std::filesystem::remove_all(folder() / name);
    std::filesystem::create_directories(folder() / name);
    return folder() / name;
  }

  /// A cache of the driver that the tests of this process share, for programs of which it does not
  /// matter whether the driver compiles them or knows them: compiling takes most of their time. One
  /// of the test's own with KILN_LONG.
  std::string known_programs(const std::string& name) const {
    static const TemporaryFolder shared =
        value_or_throw(TemporaryFolder::create("kiln-layer-caches"));
    const auto cache = (is_long_run() ? folder() : shared.path()) / name;
    std::filesystem::create_directories(cache);
    return cache;
  }

  /// What a program gets to have the layer, and to have it tell what it did.
  Environment layer() const {
    return {{"OPENCL_LAYERS", KILN_LAYER_LIBRARY},
            {"KILN_STORE", store()},
            {"KILN_LAYER_REPORT", report_file()},
            {"POCL_CACHE_DIR", folder() / "driver-cache"}};
  }
  Environment plain() const {
    return {{"OPENCL_LAYERS", ""}, {"POCL_CACHE_DIR", folder() / "plain-cache"}};
  }

  ProcessResult run(const std::filesystem::path& program, std::vector<std::string> arguments,
                    const Environment& environment) const {
    ProcessRequest request;
    request.program = program;
    request.arguments = std::move(arguments);
    for (const auto& variable : environment) request.environment.push_back(variable);
    request.limit = std::chrono::minutes(10);
    request.folder = folder();
    return value_or_throw(run_process(request));
  }

  /// What the layer has told so far; empty where no program was built.
  std::string report() const { return read_text(report_file()).value_or(""); }
  void forget_report() const { std::filesystem::remove(report_file()); }

  static std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
    return count;
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace kiln::testing
