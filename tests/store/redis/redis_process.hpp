#pragma once

#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "base/os/file.hpp"
#include "store/redis/connection.hpp"

namespace kiln::testing {

/// A reply as a value.
struct Answer {
  explicit Answer(const redisReply& reply)
      : type(reply.type), text(redis::text_of(reply)), integer(reply.integer) {
    for (std::size_t at = 0; at < reply.elements; ++at) elements.emplace_back(*reply.element[at]);
  }
  int type;
  std::string text;
  long long integer;
  std::vector<Answer> elements;
};

/// A real redis-server on a loopback port and a socket of its own, without files; it dies with this
/// object, and with the thread that made it (so make it in the thread that runs the test).
class RedisProcess {
 public:
  static bool installed() { return ::access(program, X_OK) == 0; }

  /// `options` are further words of its command line: "--requirepass", "secret".
  explicit RedisProcess(std::vector<std::string> options = {}, const std::string& password = "")
      : options_(std::move(options)), password_(password) {
    if (!password.empty()) options_.insert(options_.end(), {"--requirepass", password});
    // Another process may take a free port before the server does.
    for (int attempt = 0; attempt < 5; ++attempt) {
      port_ = free_port();
      start();
      if (becomes_ready()) return;
      kill();
    }
    throw std::runtime_error("redis-server does not start: " +
                             read_text(folder_.path() / "log").value_or("no log"));
  }
  RedisProcess(const RedisProcess&) = delete;
  RedisProcess& operator=(const RedisProcess&) = delete;
  ~RedisProcess() { kill(); }

  int port() const { return port_; }
  std::string socket() const { return folder_.path() / "socket"; }
  std::string url() const {
    return "redis://" + (password_.empty() ? "" : ":" + password_ + "@") +
           "127.0.0.1:" + std::to_string(port_);
  }

  /// A command of the test, past whatever stands between Kiln and the server.
  Answer command(redis::Words words) const { return value_or_throw(try_command(words)); }

  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  /// The same server again, on the same port and without its entries.
  void restart() {
    kill();
    start();
    if (!becomes_ready()) throw std::runtime_error("redis-server does not start again");
  }
  /// Holds the server up, as a machine that swaps does.
  void freeze() const { ::kill(pid_, SIGSTOP); }
  void thaw() const { ::kill(pid_, SIGCONT); }

 private:
  static constexpr const char* program = "/usr/bin/redis-server";

  static int free_port() {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(fd, reinterpret_cast<sockaddr*>(&address), size);
    ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
    ::close(fd);
    return ntohs(address.sin_port);
  }

  void start() {
    std::vector<std::string> words{program,        "--port",    std::to_string(port_),
                                   "--bind",       "127.0.0.1", "--unixsocket",
                                   socket(),       "--save",    "",
                                   "--appendonly", "no",        "--dir",
                                   folder_.path(), "--logfile", folder_.path() / "log"};
    words.insert(words.end(), options_.begin(), options_.end());
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() == parent) ::execv(program, arguments.data());
    ::_exit(127);
  }

  Expected<Answer> try_command(redis::Words words) const {
    SharedUrl url;
    url.host = "127.0.0.1";
    url.port = static_cast<std::uint16_t>(port_);
    url.password = password_;
    const redis::Deadline deadline(std::chrono::minutes(1));
    redis::Connection connection(url, url.host);
    if (auto opened = connection.open(url, deadline); !opened)
      return tl::unexpected(opened.error());
    auto reply = connection.call(words, deadline, 256 << 20);
    if (!reply) return tl::unexpected(reply.error());
    return Answer(**reply);
  }

  bool becomes_ready() {
    const redis::Deadline deadline(std::chrono::seconds(30));
    while (!deadline.over()) {
      const auto reply = try_command({"PING"});
      if (reply && reply->text == "PONG") return true;
      if (::waitpid(pid_, nullptr, WNOHANG) == pid_) {
        pid_ = 0;
        return false;
      }
      ::sched_yield();
    }
    return false;
  }

  TemporaryFolder folder_ = value_or_throw(TemporaryFolder::create("kiln-redis"));
  std::vector<std::string> options_;
  std::string password_;
  int port_ = 0;
  pid_t pid_ = 0;
};

}  // namespace kiln::testing

/// At the start of a test that needs the server.
#define KILN_NEEDS_REDIS() \
  if (!::kiln::testing::RedisProcess::installed()) GTEST_SKIP() << "redis-server is not installed"
