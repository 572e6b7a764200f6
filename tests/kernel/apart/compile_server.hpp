#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "kernel/apart/helper.hpp"
#include "kernel/apart/server.hpp"
#include "kernel/apart/server_client.hpp"
#include "kernel/support.hpp"

namespace kiln::testing {

/// Files below /proc have no length that could be asked for. Empty where the process has ended.
inline std::string contents_of(const std::filesystem::path& file) {
  try {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  } catch (const std::ios_base::failure&) {
    return {};
  }
}

/// The compile servers among the children of a process.
inline std::vector<pid_t> servers_of(pid_t parent) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const auto name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto words = contents_of(entry.path() / "cmdline"),
               status = contents_of(entry.path() / "status");
    if (words.find(std::string("--serve") + '\0') != std::string::npos &&
        status.find("PPid:\t" + std::to_string(parent) + "\n") != std::string::npos &&
        status.find("State:\tZ") == std::string::npos)
      found.push_back(std::stoi(name));
  }
  return found;
}

/// Each test has servers of its own, since they are told apart by their environment.
class CompileServer : public ::testing::Test {
 protected:
  CompileServer()
      : folder_(value_or_throw(TemporaryFolder::create("kiln-server"))),
        runtime_("XDG_RUNTIME_DIR", folder_.path().string()),
        before_(servers_of(::getpid())) {}

  /// Compiles program number `number`; whether it gave an archive with its variant.
  static bool compiles(int number) {
    ApartRequest request;
    request.text =
        std::string(vector_add_text) + "constant int which = " + std::to_string(number) + ";\n";
    request.label = "VectorAdd";
    request.build_hash = std::string("AB/") + std::string(37, 'C');
    request.variants = {variant_of("VectorAdd", range_1d(64, 64))};
    const auto archive = compile_apart(*cpu_device(), request);
    if (!archive) return ADD_FAILURE() << archive.error().message(), false;
    const auto parsed = value_or_throw(poclbin::parse(*archive));
    return poclbin::variants(parsed.kernels.at(0)).size() == 1;
  }
  std::vector<pid_t> new_servers() const {
    auto now = servers_of(::getpid());
    std::erase_if(now, [&](pid_t pid) {
      return std::find(before_.begin(), before_.end(), pid) != before_.end();
    });
    return now;
  }
  std::size_t sockets() const {
    std::size_t count = 0;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path() / "kiln", error))
      count += entry.path().extension() == ".sock";
    return count;
  }

  /// Where the server listens, once there is one.
  std::filesystem::path socket_path() const {
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path() / "kiln"))
      if (entry.path().extension() == ".sock") return entry.path();
    return {};
  }

  TemporaryFolder folder_;
  ScopedVariable runtime_;
  std::vector<pid_t> before_;
};

/// Listens at a socket's name as a server does.
inline FileDescriptor listen_at(const std::filesystem::path& path) {
  std::filesystem::remove(path);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  FileDescriptor listener(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  EXPECT_EQ(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(::listen(listener.get(), 1), 0);
  return listener;
}

}  // namespace kiln::testing
