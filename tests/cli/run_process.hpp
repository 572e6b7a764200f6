#pragma once

#include <gmock/gmock.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/command_process.hpp"
#include "test_paths.hpp"

namespace kiln::testing {

/// Each line of an output as JSON.
inline std::vector<nlohmann::json> json_lines(const std::string& output) {
  std::vector<nlohmann::json> lines;
  std::istringstream stream(output);
  for (std::string line; std::getline(stream, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

/// How the first program of a report with --explain was found: its steps, "+" before those that
/// answered. A trial of the driver, which is made once a store whatever is run first, is left out.
inline std::string steps_of(const std::string& report) {
  std::string text;
  const auto parsed = nlohmann::json::parse(report);
  for (const auto& step : parsed["explain"][0]["steps"])
    if (step["layer"] != "trial")
      text += (step["answered"] == true ? "+" : "-") + step["layer"].get<std::string>() + " ";
  return text;
}

/// Runs specs with the real `kiln`. Tests share a store and PoCL's cache in the build folder, so
/// that each kernel is compiled once; a test about the store sets its own.
class RunTest : public CommandTest {
 protected:
  RunTest() {
    set("KILN_STORE", shared_store());
    set("POCL_CACHE_DIR", KILN_BINARY_DIR "/pocl-cache");
    set("XDG_CACHE_HOME", "");
  }

  /// Where compile servers and locks are for tests that tune, which would wait for another process
  /// of tests else: a folder of this process, with a server that all its searches share. To start
  /// one is the most of what a short search takes.
  static std::string servers() {
    static const TemporaryFolder folder = value_or_throw(TemporaryFolder::create("kiln-servers"));
    static const bool has_server =
        (start_compile_server({{"XDG_RUNTIME_DIR", folder.path().string()}}), true);
    (void)has_server;
    return folder.path().string();
  }

  /// Bash: waits until a file, which may not exist yet, has so many lines, or the process $P has
  /// ended. A loop that looks again and again would take a core from the process that it waits for.
  static std::string until_lines(int count, const std::string& file) {
    return " sed -n " + std::to_string(count) + "q < <(exec tail -n +1 -F --pid=$P " + file +
           " 2>/dev/null);";
  }

  /// A kernel `name` with an input and an output of `dataset` elements, in name.json and name.cl.
  /// `more` are further attributes, each followed by a comma.
  void spec(const std::string& name, const std::string& source, const std::string& type = "float",
            const std::string& more = "") const {
    write(name + ".cl", source);
    write(name + ".json", R"({"name": ")" + name + R"(", "src": ")" + name +
                              R"(.cl", "workDimension": 1, "partition": 10, )" + more + R"(
  "globalWorkSize": "[dataset]",
  "inputBuffers": [{"pos": 0, "type": ")" +
                              type + R"(", "size": "dataset", "break": 1}],
  "outputBuffers": [{"pos": 1, "type": ")" +
                              type + R"(", "size": "dataset", "break": 1}]
})");
  }

  /// b[i] = a[i].
  void copy_spec(const std::string& type = "float") const {
    spec("copy_" + type,
         "kernel void copy_" + type + "(global const " + type + " *a, global " + type +
             " *b) { b[get_global_id(0)] = a[get_global_id(0)]; }\n",
         type);
  }

  /// Takes what was found of the driver out of the test's store, so that the entries there are
  /// those of the programs that it ran.
  void forget_findings() const {
    for (const std::string label : {"compiling", "threads", "lanes"})
      for (const auto& entry :
           json_lines(kiln({"store", "ls", "--kind", "record", "--json"}).output)) {
        if (entry["label"] != label + " of the driver") continue;
        EXPECT_EQ(kiln({"store", "rm", entry["key"].get<std::string>()}).exit_code, 0);
      }
  }

  /// The processor's two halves; empty, and the test skips, where it has one core.
  bool has_two_cores() { return kiln({"devices", "--devices", "cpu/2"}).exit_code == 0; }
};

/// A .npy file of version 1.0, written here by the format's description and not by Kiln.
inline std::string npy(const std::string& descr, const std::string& shape,
                       const std::string& data) {
  std::string header =
      "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
  header.append((64 - (10 + header.size() + 1) % 64) % 64, ' ');
  header += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  return file + header + data;
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  std::string data(values.size() * sizeof(T), '\0');
  std::memcpy(data.data(), values.data(), data.size());
  return data;
}

/// What follows the header of a .npy file.
inline std::string npy_data(const std::filesystem::path& file) {
  const std::string text = value_or_throw(read_text(file));
  const auto length =
      static_cast<unsigned char>(text.at(8)) + 256u * static_cast<unsigned char>(text.at(9));
  return text.substr(10 + length);
}

}  // namespace kiln::testing
