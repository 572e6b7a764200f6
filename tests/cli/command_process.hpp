#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "base/os/file.hpp"
#include "base/os/process.hpp"
#include "test_paths.hpp"

namespace kiln::testing {

/// What commands have but for what a test sets.
inline std::map<std::string, std::string> usual_environment() {
  return {{"XDG_CONFIG_HOME", ""}, {"KILN_STORE", ""}, {"KILN_TUNED", "off"}, {"TERM", "dumb"}};
}

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

  /// A bash script that finds the command as $KILN.
  ProcessResult bash(const std::string& script) {
    set("KILN", KILN_COMMAND);
    return program("/bin/bash", {"-c", script});
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
