#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <limits>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace kiln::testing {

/// What a proxy does to a connection.
struct Fault {
  static constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
  enum class Then { close, stall, drip };

  std::size_t let_through = all;          ///< bytes from the server that reach the client
  Then then = Then::close;                ///< drip: a byte a millisecond from there on
  std::string instead = {};               ///< bytes from the proxy in place of the server's
  bool replaces = false;                  ///< there is such an `instead`, if an empty one
  std::function<void()> at_the_cut = {};  ///< called in the proxy's thread, before what follows
};

/// A TCP proxy before a server on this machine, with a thread for each connection.
class FaultProxy {
 public:
  FaultProxy(int server_port, Fault fault) : server_port_(server_port), fault_(std::move(fault)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    stop_ = ::eventfd(0, EFD_CLOEXEC);
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    ::bind(listener_, reinterpret_cast<sockaddr*>(&address), size);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    ::listen(listener_, 64);
    acceptor_ = std::thread([this] { accept_all(); });
  }
  FaultProxy(const FaultProxy&) = delete;
  FaultProxy& operator=(const FaultProxy&) = delete;
  ~FaultProxy() {
    const std::uint64_t one = 1;
    (void)!::write(stop_, &one, sizeof one);
    acceptor_.join();
    for (auto& thread : threads_) thread.join();
    ::close(listener_);
    ::close(stop_);
  }

  std::string url() const { return "redis://127.0.0.1:" + std::to_string(port_); }
  /// Connections so far: how often a client tried.
  int accepted() const { return accepted_; }
  /// For connections from now on.
  void set(Fault fault) {
    const std::lock_guard lock(mutex_);
    fault_ = std::move(fault);
  }

 private:
  static sockaddr_in loopback(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    return address;
  }

  void accept_all() {
    for (;;) {
      pollfd polled[] = {{stop_, POLLIN, 0}, {listener_, POLLIN, 0}};
      ::poll(polled, 2, -1);
      if (polled[0].revents != 0) return;
      const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (client < 0) continue;
      ++accepted_;
      const std::lock_guard lock(mutex_);
      threads_.emplace_back([this, client, fault = fault_] { serve(client, fault); });
    }
  }

  void serve(int client, const Fault& fault) {
    int server = -1;
    if (!fault.replaces) {
      server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      const sockaddr_in address = loopback(server_port_);
      if (::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        ::close(std::exchange(server, -1));
        ::close(client);
        return;
      }
    }
    carry(client, server, fault);
    ::close(client);
    if (server >= 0) ::close(server);
  }

  /// Until one side hangs up, the fault says so, or the proxy ends.
  void carry(int client, int server, const Fault& fault) const {
    std::size_t left = fault.let_through;
    std::string dripping;
    bool cut = false;
    const auto deliver = [&](std::string bytes) {
      const bool whole = bytes.size() <= left;
      if (!whole) dripping = bytes.substr(left);
      bytes.resize(std::min(bytes.size(), left));
      left -= left == Fault::all ? 0 : bytes.size();
      (void)!::send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (whole && left > 0) return true;
      cut = true;
      if (fault.at_the_cut) fault.at_the_cut();
      return fault.then != Fault::Then::close;
    };
    if (left == 0 && !deliver("")) return;
    for (;;) {
      const bool drips = cut && fault.then == Fault::Then::drip && !dripping.empty();
      pollfd polled[] = {{stop_, POLLIN, 0}, {client, POLLIN, 0}, {cut ? -1 : server, POLLIN, 0}};
      ::poll(polled, 3, drips ? 1 : -1);
      if (polled[0].revents != 0) return;
      char bytes[64 << 10];
      if (polled[1].revents != 0) {
        const auto got = ::recv(client, bytes, sizeof bytes, 0);
        if (got <= 0) return;
        if (server >= 0) (void)!::send(server, bytes, static_cast<std::size_t>(got), MSG_NOSIGNAL);
        if (fault.replaces && !cut && !deliver(fault.instead)) return;
        if (fault.replaces && !cut) return;  // all of it is sent: hang up
      }
      if (polled[2].revents != 0) {
        const auto got = ::recv(server, bytes, sizeof bytes, 0);
        if (got <= 0 && !cut) return;
        if (got > 0 && !deliver(std::string(bytes, static_cast<std::size_t>(got)))) return;
      }
      if (drips) {
        (void)!::send(client, dripping.data(), 1, MSG_NOSIGNAL);
        dripping.erase(0, 1);
      }
    }
  }

  const int server_port_;
  int listener_ = -1, stop_ = -1, port_ = 0;
  std::atomic<int> accepted_{0};
  std::mutex mutex_;
  Fault fault_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

}  // namespace kiln::testing
