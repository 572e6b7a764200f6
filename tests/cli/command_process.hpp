#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "base/os/file.hpp"
#include "base/os/process.hpp"
#include "test_paths.hpp"

namespace kiln::testing {

/// What commands have but for what a test sets.
inline std::map<std::string, std::string> usual_environment() {
  return {{"XDG_CONFIG_HOME", ""},
          {"XDG_STATE_HOME", ""},
          {"KILN_STORE", ""},
          {"KILN_TUNED", "off"},
          {"TERM", "dumb"}};
}

/// Starts the compile server of commands that have these variables as well as this process's own.
/// It ends with this process.
void start_compile_server(const std::map<std::string, std::string>& more = {});

/// Runs the real `kiln` in a folder of its own, with no settings but those that the test gives.
class CommandTest : public ::testing::Test {
 protected:
  CommandTest() : folder_(value_or_throw(TemporaryFolder::create("kiln-cli"))) {}

  const std::filesystem::path& folder() const { return folder_.path(); }

  /// Writes a file below the folder.
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    const auto path = folder() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  void set(const std::string& variable, const std::string& value) {
    environment_[variable] = value;
  }

  ProcessResult kiln(std::vector<std::string> words) const {
    return program(KILN_COMMAND, std::move(words));
  }

  ProcessResult program(const std::filesystem::path& path, std::vector<std::string> words) const {
    std::map<std::string, std::string> environment = usual_environment();
    environment["HOME"] = folder().string();
    for (const auto& [name, value] : environment_) environment[name] = value;
    ProcessRequest request;
    request.program = path;
    request.arguments = std::move(words);
    request.environment.assign(environment.begin(), environment.end());
    request.folder = folder();
    return value_or_throw(run_process(request));
  }

  /// A bash script that finds the command as $KILN. Its children do not: with one more variable
  /// they would have a compile server of their own.
  ProcessResult bash(const std::string& script) const {
    return program("/bin/bash", {"-c", "KILN='" KILN_COMMAND "'; " + script});
  }

  /// The store of all tests that are not about stores: each program is compiled once. Programs that
  /// are optimised have another one than those that are not.
  static std::string shared_store() {
    static const bool is_plain = std::getenv("POCL_EXTRA_BUILD_FLAGS") == nullptr;
    return std::string(KILN_BINARY_DIR "/cli-store") + (is_plain ? "" : "-unoptimised");
  }

  /// A store below the folder. A new one has nothing but what was found of the driver: to find that
  /// out takes three times as long as a compile, and each empty store would do it again.
  std::string fresh_store(const std::string& name) const {
    const auto path = folder() / name;
    if (!std::filesystem::exists(path))
      std::filesystem::copy(findings(), path, std::filesystem::copy_options::recursive);
    return path.string();
  }

  /// Two halves of the processor, where it has two units.
  std::string halves() const {
    return kiln({"devices", "--devices", "cpu/2"}).exit_code == 0 ? "cpu/2" : "cpu";
  }

  /// The path of a program that may be absent; empty then.
  std::string find_program(const std::string& name) {
    auto found = program("/bin/bash", {"-c", "command -v " + name}).output;
    while (found.ends_with('\n')) found.pop_back();
    return found;
  }

 private:
  /// A store with the findings alone, made once a build. One of another driver does no harm: it has
  /// nothing of this one.
  std::filesystem::path findings() const {
    const std::filesystem::path store = KILN_BINARY_DIR "/cli-findings";
    if (std::filesystem::exists(store)) return store;
    const std::string made = (folder() / "findings").string();
    const std::string any = KILN_SOURCE_DIR "/examples/specs/vector_add.json";
    EXPECT_EQ(kiln({"run", "-q", any, "--devices", "cpu", "--store", made}).exit_code, 0);
    std::istringstream listed(kiln({"store", "ls", "--json", "--store", made}).output);
    for (std::string line; std::getline(listed, line);)
      if (const auto entry = nlohmann::json::parse(line);
          entry["label"] != "compiling of the driver") {
        EXPECT_EQ(kiln({"store", "rm", "--store", made, entry["key"]}).exit_code, 0);
      }
    // In one step; another process may have been sooner.
    const auto next_to_it = store.string() + folder().filename().string();
    std::filesystem::copy(made, next_to_it, std::filesystem::copy_options::recursive);
    std::error_code error;
    std::filesystem::rename(next_to_it, store, error);
    if (error) std::filesystem::remove_all(next_to_it);
    std::filesystem::remove_all(made);
    return store;
  }

  TemporaryFolder folder_;
  std::map<std::string, std::string> environment_;
};

/// Expects one line of error that begins with "kiln: ", nothing on standard output, and the code.
inline void expect_refusal(const ProcessResult& result, int code, const std::string& part) {
  EXPECT_EQ(result.exit_code, code) << result.errors;
  EXPECT_EQ(result.output, "");
  EXPECT_TRUE(result.errors.starts_with("kiln: ")) << result.errors;
  EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
  EXPECT_NE(result.errors.find(part), std::string::npos) << result.errors;
}

}  // namespace kiln::testing
