#pragma once

#include <gmock/gmock.h>

#include "cli/run_process.hpp"

namespace kiln::testing {

/// Runs an OpenCL program that knows nothing of Kiln (tests/layer/app/plain.c), with a store and a
/// driver's cache that are new.
class ExecTest : public RunTest {
 protected:
  /// What kiln exec gives a program makes it another environment of compilers.
  static void SetUpTestSuite() {
    start_compile_server(
        {{"OPENCL_LAYERS", std::filesystem::canonical(KILN_LAYER_LIBRARY).string()}});
  }
  ExecTest() {
    use_fresh("store");
    set("KILN_APP", KILN_LAYER_APP);
    write("one.cl", "kernel void run(global int *a) { a[get_global_id(0)] = 1; }\n");
    write("two.cl", "kernel void run(global int *a) { a[get_global_id(0)] = 2; }\n");
  }

  void use_fresh(const std::string& store) {
    set("KILN_STORE", fresh_store(store));
    set("POCL_CACHE_DIR", (folder() / (store + "-pocl")).string());
  }
  void use_store(const std::string& store) { set("KILN_STORE", (folder() / store).string()); }

  /// `kiln exec [options] -- app words`.
  ProcessResult exec(std::vector<std::string> words, std::vector<std::string> options = {}) {
    options.insert(options.begin(), "exec");
    options.insert(options.end(), {"--", KILN_LAYER_APP});
    options.insert(options.end(), words.begin(), words.end());
    return kiln(std::move(options));
  }
  ProcessResult explain(std::vector<std::string> words) {
    return exec(std::move(words), {"--explain"});
  }
  /// The closing line of an explanation without its times.
  static std::string summary(const ProcessResult& run) {
    std::string text = run.errors.substr(0, run.errors.find_last_not_of('\n') + 1);
    text.erase(0, text.rfind('\n') + 1);
    const auto begin = text.find(" in "), end = text.find(": ", begin);
    return begin == text.npos || end == text.npos ? text : text.erase(begin, end - begin);
  }
};

inline constexpr const char* all_from_store =
    "kiln: 2 programs built: 2 served from the local store; compilers started: 0";

}  // namespace kiln::testing
