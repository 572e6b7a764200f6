// One compile server for all commands of a process of tests. A server ends with the command that
// started it, and its first compile takes half a second: most of what many tests would do.
#include <cstdlib>
#include <map>
#include <optional>
#include <string>

#include "cli/command_process.hpp"
#include "kernel/apart/helper.hpp"
#include "kernel/apart/server_client.hpp"

namespace kiln::testing {

void start_compile_server(const std::map<std::string, std::string>& more) {
  std::map<std::string, std::optional<std::string>> before;
  for (const auto& [name, value] : more) {
    if (const char* old = std::getenv(name.c_str()))
      before[name] = old;
    else
      before[name] = {};
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  // There is no such job: the server says so, and stays.
  apart::ServerRequest request;
  request.folder = "/nonexistent";
  (void)apart::ask_server(find_compile_helper(), request);
  for (const auto& [name, value] : before) {
    if (value)
      ::setenv(name.c_str(), value->c_str(), 1);
    else
      ::unsetenv(name.c_str());
  }
}

namespace {

class SharedCompileServer : public ::testing::Environment {
 public:
  void SetUp() override {
    for (const auto& [name, value] : usual_environment()) ::setenv(name.c_str(), value.c_str(), 1);
    start_compile_server();
  }
};

const ::testing::Environment* const shared =
    ::testing::AddGlobalTestEnvironment(new SharedCompileServer);

}  // namespace
}  // namespace kiln::testing
