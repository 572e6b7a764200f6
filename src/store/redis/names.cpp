#include "store/redis/names.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <sys/un.h>

#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

namespace kiln::redis {
namespace {

Expected<std::vector<Address>> look_up(const std::string& host, std::uint16_t port, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  if (error != 0) return fail(Errc::io, fmt::format("name: {}", ::gai_strerror(error)));
  std::vector<Address> addresses;
  for (const addrinfo* one = list; one != nullptr; one = one->ai_next) {
    Address address;
    address.size = one->ai_addrlen;
    std::memcpy(&address.bytes, one->ai_addr, one->ai_addrlen);
    addresses.push_back(address);
  }
  ::freeaddrinfo(list);
  return addresses;
}

}  // namespace

Expected<std::vector<Address>> resolve_by_system(const std::string& host, std::uint16_t port) {
  return look_up(host, port, AI_ADDRCONFIG);
}

std::vector<Address> numeric_address(const std::string& host, std::uint16_t port) {
  return look_up(host, port, AI_NUMERICHOST).value_or(std::vector<Address>());
}

Address socket_address(const std::string& path) {
  sockaddr_un local{};
  local.sun_family = AF_UNIX;
  std::memcpy(local.sun_path, path.c_str(), std::min(path.size(), sizeof local.sun_path - 1));
  Address address;
  address.size = sizeof local;
  std::memcpy(&address.bytes, &local, sizeof local);
  return address;
}

struct NameLookup::State {
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<Expected<std::vector<Address>>> answer;

  void set(Expected<std::vector<Address>> found) {
    const std::lock_guard lock(mutex);
    answer = std::move(found);
    changed.notify_all();
  }
};

NameLookup::NameLookup(const std::string& host, std::uint16_t port, const Resolve& resolve)
    : state_(std::make_shared<State>()) {
  try {
    std::thread([state = state_, host, port, resolve] {
      try {
        state->set(resolve(host, port));
      } catch (const std::exception& problem) {
        state->set(fail(Errc::io, fmt::format("name: {}", problem.what())));
      }
    }).detach();
  } catch (const std::system_error& error) {
    state_->set(fail(Errc::io, fmt::format("name: no thread: {}", error.what())));
  }
}

Expected<std::vector<Address>> NameLookup::addresses(const Deadline& deadline) const {
  std::unique_lock lock(state_->mutex);
  while (!state_->answer && !deadline.over()) state_->changed.wait_for(lock, deadline.next_look());
  if (!state_->answer) return fail(Errc::timeout, "name: no answer in time");
  return *state_->answer;
}

bool NameLookup::done() const {
  const std::lock_guard lock(state_->mutex);
  return state_->answer.has_value();
}

}  // namespace kiln::redis
